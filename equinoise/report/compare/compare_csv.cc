// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/compare/compare_csv.h"

#include <fmt/format.h>

#include "equinoise/report/compare/compare_tables.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

std::string epsilon_cell(const std::optional<Guarantee>& privacy) {
  return privacy ? number_cell(privacy->epsilon.value()) : "";
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
                      row.epsilon ? number_cell(*row.epsilon) : "", run.seed);
      text += fmt::format("{},,,{},{},{},{},{},{}\n", start, number_cell(run.overall),
                          epsilon_cell(row.weakest), number_cell(run.violation),
                          number_cell(run.violation_low), csv_cell(run.private_verdict),
                          number_cell(run.seconds));
      for (size_t k = 0; k < report.groups.size(); ++k) {
        const CompareGroup& group = report.groups[k];
        text += fmt::format("{}{},{},{},{},{},,,,\n", start, csv_cell(group.columns),
                            csv_cell(joined_values(group.group)), group.is_counted ? 1 : 0,
                            number_cell(run.groups[k]), epsilon_cell(row.group_privacy[k]));
      }
    }
  }
  return text;
}

}  // namespace equinoise
