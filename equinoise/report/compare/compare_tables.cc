// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/compare/compare_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "equinoise/report/format.h"
#include "equinoise/report/json.h"

namespace equinoise {

namespace {

/// The estimate with the median interval; without intervals, an estimate that leads to three
/// decimals.
Estimate typical_of(std::vector<Estimate> estimates) {
  std::erase_if(estimates, [](const Estimate& e) { return !std::isfinite(e.interval.low); });
  if (estimates.empty()) return {0, {0, 0.02}};
  const auto middle = estimates.begin() + std::ssize(estimates) / 2;
  std::nth_element(estimates.begin(), middle, estimates.end(), [](const auto& a, const auto& b) {
    return a.interval.high - a.interval.low < b.interval.high - b.interval.low;
  });
  return *middle;
}

std::string over_slack(const Estimate& value) {
  if (!std::isfinite(value.value)) return "-";
  if (!std::isfinite(value.interval.low)) return fmt::format("{:.3f}", value.value);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", value.value, value.interval.low,
                     value.interval.high);
}

std::string capitalised(std::string text) {
  if (!text.empty())
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

void add_uncounted_groups(const CompareReport& report, std::vector<std::string>& notes) {
  std::vector<GroupLabel> left_out;
  for (const CompareGroup& group : report.groups)
    if (!group.is_counted) left_out.push_back(group.group);
  if (left_out.empty()) return;
  const std::string few =
      report.min_records > 1 ? fmt::format("fewer than {}", report.min_records) : "having no";
  notes.push_back(fmt::format(
      "Not counted as the worst group or in the gap, for {} {}{}: {}.", few, report.judged,
      report.task == CompareTask::kTraining ? " in some split" : "", list_groups(left_out)));
}

/// A note for each set of columns whose groups some methods do not protect.
void add_public_groups(const CompareReport& report, std::vector<std::string>& notes) {
  std::map<std::vector<std::string>, std::vector<std::string>> names;  // by columns
  for (const CompareRow& row : report.rows) {
    if (row.public_groups.empty()) continue;
    std::vector<std::string>& found = names[row.public_groups];
    const std::string name = name_of_row(row);
    if (std::count(found.begin(), found.end(), name) == 0) found.push_back(name);
  }
  for (const auto& [columns, found] : names) {
    notes.push_back(fmt::format(
        "Not protected by {}: which group by {} anyone is in. Such a row dominates none that "
        "protects this.",
        fmt::join(found, ", "), fmt::join(columns, ", ")));
  }
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

std::vector<std::string> recommendation_lines(const CompareReport& report) {
  if (!report.is_public) return {kWhyNoAdvice};
  std::vector<std::string> lines;
  for (const CompareAdvice& advice : report.advice)
    lines.push_back(fmt::format("at epsilon {}, {}", advice.epsilon, advice.sentence));
  if (lines.empty()) lines.emplace_back("no method is recommended: none has a guarantee");
  return lines;
}

std::vector<std::string> compare_cells(const CompareReport& report,
                                       const std::vector<Estimate>& estimates) {
  const Precision precision(report.is_share ? "error" : "", typical_of(estimates));
  std::vector<std::string> cells;
  for (const Estimate& estimate : estimates) {
    cells.push_back(precision.compact(estimate));
  }
  return cells;
}

std::string compare_figure(const CompareReport& report, double value) {
  return report.is_share ? format_percent(value) + " %" : format_amount(value);
}

std::string standing_of(const CompareReport& report, const CompareRow& row) {
  if (!row.problem.empty()) return "failed";
  if (!row.epsilon) return "reference, not private";
  if (!row.dominated)
    return report.num_seeds < 2 ? "one seed shows no chance" : "undefined in some run";
  return *row.dominated ? "dominated by " + row.dominated_by : "not dominated";
}

TextTable compare_rows_table(const CompareReport& report) {
  const char* unit = report.is_share ? " %" : "";
  const bool has_intervals = report.num_seeds > 1;
  TextTable table{"", {"method", "epsilon"}, {}, 1};
  for (const CompareRow& row : report.rows)
    table.rows.push_back(
        {name_of_row(row), row.epsilon ? fmt::format("{}", *row.epsilon) : "none"});
  const auto add_column = [&](const std::string& name, Estimate CompareRow::*figure) {
    table.head.push_back(fmt::format("{}{}{}", name, unit, has_intervals ? " [95 %]" : ""));
    std::vector<Estimate> estimates;
    for (const CompareRow& row : report.rows) estimates.push_back(row.*figure);
    const std::vector<std::string> cells = compare_cells(report, estimates);
    for (size_t i = 0; i < cells.size(); ++i) table.rows[i].push_back(cells[i]);
  };
  add_column("error", &CompareRow::overall);
  if (has_counted_group(report)) {
    add_column("worst group", &CompareRow::worst_group);
    add_column("gap", &CompareRow::gap);
  }
  if (report.has_constraints)
    table.head.emplace_back(has_intervals ? "over slack [95 %]" : "over slack");
  table.head.insert(table.head.end(), {"weakest privacy", "seconds", ""});
  for (size_t i = 0; i < report.rows.size(); ++i) {
    const CompareRow& row = report.rows[i];
    if (report.has_constraints) table.rows[i].push_back(over_slack(row.violation));
    table.rows[i].insert(
        table.rows[i].end(),
        {format_epsilon(row.weakest), format_amount(row.seconds.value), standing_of(report, row)});
  }
  return table;
}

std::vector<std::string> compare_notes(const CompareReport& report) {
  const bool is_training = report.task == CompareTask::kTraining;
  std::vector<std::string> notes;
  notes.push_back(
      fmt::format("Error: {}{}.", report.error,
                  has_counted_group(report) ? "; worst group and gap: the same by group" : ""));
  if (std::isfinite(report.constant.value)) {
    notes.push_back(fmt::format("{} has error {}.", capitalised(report.baseline),
                                compare_figure(report, report.constant.value)));
  }
  add_uncounted_groups(report, notes);
  if (report.num_seeds > 1) {
    notes.push_back(
        fmt::format("Intervals cover the mean over seeds, each with {} of its own, on this table; "
                    "they say nothing of other tables.",
                    is_training ? "a split and noise" : "noise"));
  }
  if (report.num_comparisons > 0) {
    const bool has_groups = has_counted_group(report);
    notes.push_back(fmt::format(
        "Dominated: some method with privacy no weaker is no worse on average, overall{}{}, and "
        "better {} beyond chance (paired t intervals over seeds, at 95 %{}).",
        has_groups ? " and in the worst group" : "",
        report.has_constraints ? ", is over no slack by more" : "",
        has_groups ? "in one of the two" : "there",
        report.num_comparisons == 1 ? ""
                                    : fmt::format(" for all {} comparisons together",
                                                  format_count(report.num_comparisons))));
  }
  add_public_groups(report, notes);
  return notes;
}

std::vector<std::string> compare_failures(const CompareReport& report) {
  std::vector<std::string> lines;
  for (const CompareRow& row : report.rows) {
    if (row.problem.empty()) continue;
    lines.push_back(fmt::format("{}{} failed: {}", name_of_row(row),
                                row.epsilon ? fmt::format(" at epsilon {}", *row.epsilon) : "",
                                row.problem));
  }
  return lines;
}

std::vector<std::string> compare_skips(const CompareReport& report) {
  std::vector<CompareSkip> found;
  for (const CompareSkip& skip : report.skipped) {
    const auto same = std::find_if(found.begin(), found.end(), [&](const CompareSkip& other) {
      return other.reason == skip.reason && other.epsilons == skip.epsilons;
    });
    if (same == found.end()) {
      found.push_back(skip);
    } else {
      same->method += ", " + skip.method;
    }
  }
  std::vector<std::string> lines;
  for (const CompareSkip& skip : found) {
    lines.push_back(fmt::format(
        "{}{}: {}", skip.method,
        skip.epsilons.empty() ? "" : fmt::format(" at epsilon {}", fmt::join(skip.epsilons, ", ")),
        skip.reason));
  }
  return lines;
}

}  // namespace equinoise
