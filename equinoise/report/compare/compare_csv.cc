// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "equinoise/report/compare/compare_report.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

std::string epsilon_cell(const std::optional<Guarantee>& privacy) {
  return privacy ? csv_number(privacy->epsilon.value()) : "";
}

}  // namespace

std::string compare_to_csv(const CompareReport& report) {
  std::string text =
      "method,options,epsilon,seed,grouping,group,counted,error,weakest_privacy,violation,"
      "violation_low,private_verdict,seconds\n";
  for (const CompareRow& row : report.rows) {
    for (const CompareRun& run : row.runs) {
      const std::string start =
          fmt::format("{},{},{},{},", csv_cell(row.method), csv_cell(options_in_words(row.options)),
                      row.epsilon ? csv_number(*row.epsilon) : "", run.seed);
      text += fmt::format("{},,,{},{},{},{},{},{}\n", start, csv_number(run.overall),
                          epsilon_cell(row.weakest), csv_number(run.violation),
                          csv_number(run.violation_low), csv_cell(run.private_verdict),
                          csv_number(run.seconds));
      for (size_t k = 0; k < report.groups.size(); ++k) {
        const CompareGroup& group = report.groups[k];
        text += fmt::format("{}{},{},{},{},{},,,,\n", start, csv_cell(group.columns),
                            csv_cell(joined_values(group.group)), group.is_counted ? 1 : 0,
                            csv_number(run.groups[k]), epsilon_cell(row.group_privacy[k]));
      }
    }
  }
  return text;
}

}  // namespace equinoise
