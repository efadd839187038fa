// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/compare/compare_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "equinoise/report/format.h"
#include "equinoise/report/json.h"
#include "equinoise/report/page/fence.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise {

namespace {

/// The cells of one figure in all rows, with digits that suit all of them.
class FigureCells {
 public:
  FigureCells(const CompareReport& report, Estimate CompareRow::*figure)
      : figure_(figure), precision_(report.classes.empty() ? "" : "error", typical(report)) {}

  std::string cell(const CompareRow& row) const {
    const Estimate& estimate = row.*figure_;
    return std::isfinite(estimate.interval.low) ? precision_.format(estimate)
                                                : precision_.format(estimate.value);
  }

 private:
  /// The one with the interval in the middle; without any, one that asks for three decimals.
  Estimate typical(const CompareReport& report) const {
    std::vector<Estimate> found;
    for (const CompareRow& row : report.rows)
      if (std::isfinite((row.*figure_).interval.low)) found.push_back(row.*figure_);
    if (found.empty()) {
      Estimate estimate;
      estimate.interval = {0, 0.02};
      return estimate;
    }
    const auto middle = found.begin() + std::ssize(found) / 2;
    std::nth_element(found.begin(), middle, found.end(), [](const auto& a, const auto& b) {
      return a.interval.high - a.interval.low < b.interval.high - b.interval.low;
    });
    return *middle;
  }

  Estimate CompareRow::*figure_;
  Precision precision_;
};

std::string standing_of(const CompareRow& row) {
  if (!row.problem.empty()) return "failed";
  if (!row.epsilon) return "reference, not private";
  if (!row.dominated) return "undefined in some run";
  return *row.dominated ? "dominated by " + row.dominated_by : "not dominated";
}

TextTable rows_table(const CompareReport& report) {
  const char* unit = report.classes.empty() ? "" : " %";
  TextTable table{"", {"method", "epsilon", fmt::format("error{} [95 %]", unit)}, {}, 1};
  const bool has_groups = has_counted_group(report);
  if (has_groups) {
    table.head.push_back(fmt::format("worst group{} [95 %]", unit));
    table.head.push_back(fmt::format("gap{} [95 %]", unit));
  }
  if (report.has_constraints) table.head.emplace_back("over slack [95 %]");
  table.head.insert(table.head.end(), {"weakest privacy", "seconds", ""});
  const FigureCells overall(report, &CompareRow::overall);
  const FigureCells worst(report, &CompareRow::worst_group);
  const FigureCells gap(report, &CompareRow::gap);
  for (const CompareRow& row : report.rows) {
    std::vector<std::string>& cells = table.rows.emplace_back();
    cells = {name_of_row(row), row.epsilon ? format_amount(*row.epsilon) : "none",
             overall.cell(row)};
    if (has_groups) cells.insert(cells.end(), {worst.cell(row), gap.cell(row)});
    if (report.has_constraints) {
      const Estimate& value = row.violation;
      cells.push_back(!std::isfinite(value.value) ? "-"
                      : !std::isfinite(value.interval.low)
                          ? fmt::format("{:.3f}", value.value)
                          : fmt::format("{:.3f} [{:.3f}, {:.3f}]", value.value, value.interval.low,
                                        value.interval.high));
    }
    cells.insert(cells.end(),
                 {format_epsilon(row.weakest), format_amount(row.seconds.value), standing_of(row)});
  }
  return table;
}

std::string groups_line(const CompareReport& report) {
  if (report.groups.empty()) return "";
  std::vector<GroupLabel> left_out;
  for (const CompareGroup& group : report.groups)
    if (!group.is_counted) left_out.push_back(group.group);
  if (left_out.empty()) return "";
  return fmt::format(
      "Not counted as the worst group or in the gap, for fewer than {} held-out records in some "
      "split: {}.\n",
      kLeastHeldOut, list_groups(left_out));
}

/// A line for each set of columns that some methods take as public.
std::string public_groups_lines(const CompareReport& report) {
  std::map<std::vector<std::string>, std::vector<std::string>> names;  // by columns
  for (const CompareRow& row : report.rows) {
    if (row.public_groups.empty()) continue;
    std::vector<std::string>& found = names[row.public_groups];
    const std::string name = name_of_row(row);
    if (std::count(found.begin(), found.end(), name) == 0) found.push_back(name);
  }
  std::string text;
  for (const auto& [columns, found] : names) {
    text += fmt::format(
        "Not protected by {}: which group by {} anyone is in. Such a row dominates none that "
        "protects this.\n",
        fmt::join(found, ", "), fmt::join(columns, ", "));
  }
  return text;
}

/// A line for each reason, with all methods that have it.
std::string skipped_lines(const CompareReport& report) {
  std::vector<CompareSkip> lines;
  for (const CompareSkip& skip : report.skipped) {
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const CompareSkip& line) {
      return line.reason == skip.reason && line.epsilons == skip.epsilons;
    });
    if (same == lines.end()) {
      lines.push_back(skip);
    } else {
      same->method += ", " + skip.method;
    }
  }
  std::string text = lines.empty() ? "" : "\nNot compared:\n";
  for (const CompareSkip& line : lines) {
    text += fmt::format(
        "  {}{}: {}\n", line.method,
        line.epsilons.empty() ? "" : fmt::format(" at epsilon {}", fmt::join(line.epsilons, ", ")),
        line.reason);
  }
  return text;
}

}  // namespace

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

std::string error_in_words(const CompareReport& report) {
  return report.classes.empty()
             ? fmt::format("mean squared error of {} over that of its held-out mean", report.target)
             : fmt::format("share of held-out records with a wrong {}", report.target);
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
  std::string text = to_text(rows_table(report)) + "\n";
  text +=
      fmt::format("Error: {}; worst group and gap: the same by group.\n", error_in_words(report));
  if (std::isfinite(report.constant.value)) {
    text += fmt::format("The best constant prediction has error {}.\n",
                        report.classes.empty() ? format_amount(report.constant.value)
                                               : format_percent(report.constant.value) + " %");
  }
  text += groups_line(report);
  text += fmt::format(
      "Intervals cover the mean over seeds, each with a split and noise of its own, on this table; "
      "they say nothing of other tables.\n");
  if (report.num_comparisons > 0) {
    const bool has_groups = has_counted_group(report);
    text += fmt::format(
        "Dominated: some method with privacy no weaker is no worse on average, overall{}{}, and "
        "better {} beyond chance (paired t intervals over seeds, at 95 %{}).\n",
        has_groups ? " and in the worst group" : "",
        report.has_constraints ? ", is over no slack by more" : "",
        has_groups ? "in one of the two" : "there",
        report.num_comparisons == 1 ? ""
                                    : fmt::format(" for all {} comparisons together",
                                                  format_count(report.num_comparisons)));
  }
  text += public_groups_lines(report);
  for (const CompareRow& row : report.rows) {
    if (!row.problem.empty())
      text +=
          fmt::format("{}{} failed: {}\n", name_of_row(row),
                      row.epsilon ? fmt::format(" at epsilon {}", *row.epsilon) : "", row.problem);
  }
  text += skipped_lines(report) + "\n";
  for (const std::string& line : recommendation_lines(report))
    text += fmt::format("Recommendation: {}.\n", line);
  text += fmt::format(
      "\nThis table is NOT PRIVATE: it is computed from held-out records without noise, by runs "
      "under seeds that are known; {}\n",
      report.is_public
          ? "it may be published only because --public-data says that the records are public."
          : fmt::format("do not publish it.\n{}", kDoNotChooseBy));
  return text + closing_lines(report.ingest_notes, report.warnings, report.files);
}

}  // namespace equinoise
