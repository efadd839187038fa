// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/compare/compare_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/report/compare/compare_tables.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

bool has_counted_group(const CompareReport& report) {
  return std::any_of(report.groups.begin(), report.groups.end(),
                     [](const CompareGroup& group) { return group.is_counted; });
}

std::string name_of_row(const CompareRow& row) {
  const std::string options = options_in_words(row.options);
  return options.empty() ? row.method : row.method + " " + options;
}

std::string options_in_words(const std::vector<Setting>& options) {
  std::string text;
  for (const Setting& option : options) {
    const nlohmann::ordered_json value = option_to_json(option.value);
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", option.name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

std::vector<std::string> recommendation_lines(const CompareReport& report) {
  if (!report.is_public) return {kWhyNoAdvice};
  std::vector<std::string> lines;
  for (const CompareAdvice& advice : report.advice)
    lines.push_back(fmt::format("at epsilon {}, {}", advice.epsilon, advice.sentence));
  if (lines.empty()) lines.emplace_back("no method is recommended: none has a guarantee");
  return lines;
}

std::string compare_to_text(const CompareReport& report) {
  std::string text = to_text(compare_rows_table(report)) + "\n" + lines_of(compare_notes(report)) +
                     lines_of(compare_failures(report));
  const std::vector<std::string> skips = compare_skips(report);
  if (!skips.empty()) text += "\nNot compared:\n";
  for (const std::string& line : skips) text += "  " + line + "\n";
  text += "\n";
  for (const std::string& line : recommendation_lines(report))
    text += fmt::format("Recommendation: {}.\n", line);
  text += fmt::format(
      "\nThis table is NOT PRIVATE: it is computed without noise from {}, by runs under seeds that "
      "are known; {}\n",
      report.judged,
      report.is_public
          ? "it may be published only because --public-data says that the records are public."
          : fmt::format("do not publish it.\n{}", kDoNotChooseBy));
  return text + closing_lines(report.ingest_notes, report.warnings, report.files);
}

}  // namespace equinoise
