// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/group_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "equinoise/audit/disparity.h"

namespace equinoise {

namespace {

/// A sum of rates.
std::string format_rate(double rate) {
  return std::isfinite(rate) ? fmt::format("{:.4f}", rate) : "-";
}

/// "sex = Female, race = White"
std::string label_of(const GroupLabel& group) {
  std::string text;
  for (const auto& [column, value] : group)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", column, value);
  return text;
}

/// "84.6 % [84.1, 85.0]", "12.3 [11.8, 12.9]"
std::string in_units(std::string_view metric, const Estimate& estimate) {
  const std::string text = Precision(metric, estimate).format(estimate);
  const size_t space = text.find(' ');
  return !is_share(metric) ? text
                           : text.substr(0, space) + " %" +
                                 (space == std::string::npos ? "" : text.substr(space));
}

/// The groups that have the figure, in ascending order of its value.
std::vector<GroupFigures> by_value(std::span<const GroupFigures> groups, std::string_view metric) {
  const auto value = [&](const GroupFigures& of) { return estimate_of(of.metrics, metric).value; };
  std::vector<GroupFigures> sorted;
  std::ranges::copy_if(groups, std::back_inserter(sorted),
                       [&](const GroupFigures& of) { return std::isfinite(value(of)); });
  std::ranges::stable_sort(
      sorted, [&](const GroupFigures& a, const GroupFigures& b) { return value(a) < value(b); });
  return sorted;
}

std::string worst_group_line(std::span<const GroupFigures> groups, const Metrics& overall,
                             bool numeric_target) {
  const char* metric = numeric_target ? "rmse" : "accuracy";
  const std::vector<GroupFigures> sorted = by_value(groups, metric);
  if (sorted.empty()) return "";
  const GroupFigures& worst = numeric_target ? sorted.back() : sorted.front();
  return fmt::format(
      "{} for {}: {}; overall it is {}.",
      numeric_target ? "The root mean squared error is largest" : "The accuracy is lowest",
      label_of(worst.group), in_units(metric, estimate_of(worst.metrics, metric)),
      in_units(metric, estimate_of(overall, metric)));
}

std::string selection_line(std::span<const GroupFigures> groups, const Metrics& overall,
                           std::string_view positive) {
  constexpr size_t kMaxNamed = 4;
  std::vector<GroupFigures> sorted = by_value(groups, "selection_rate");
  if (!std::isfinite(overall.selection_rate.value)) return "";
  const char* from = "";
  if (sorted.size() > kMaxNamed) {
    sorted = {sorted.front(), sorted.back()};
    from = "from ";
  }
  std::string rates;
  for (const GroupFigures& of : sorted) {
    rates += fmt::format("{}{} of {}",
                         rates.empty()   ? from
                         : *from == '\0' ? ", "
                                         : " to ",
                         in_units("selection_rate", of.metrics.selection_rate), label_of(of.group));
  }
  return fmt::format("{} is predicted for {} overall{}{}.", positive,
                     in_units("selection_rate", overall.selection_rate), rates.empty() ? "" : ": ",
                     rates);
}

}  // namespace

std::string groups_line(std::span<const GroupFigures> groups, const Metrics& overall,
                        std::string_view target, const std::vector<std::string>& classes) {
  const std::string worst = worst_group_line(groups, overall, classes.empty());
  if (classes.size() != 2) return worst;
  const std::string rates =
      selection_line(groups, overall, fmt::format("{} = {}", target, classes[1]));
  return worst + (worst.empty() || rates.empty() ? "" : " ") + rates;
}

TextTable figures_table(std::string caption, std::string head,
                        const std::vector<GroupFigures>& rows) {
  TextTable table{std::move(caption), {std::move(head)}};
  for (const GroupFigures& row : rows) table.rows.push_back({values_of(row.group)});
  table.ends_in_total = true;
  return table;
}

void add_metrics(const std::vector<std::string_view>& metrics,
                 const std::vector<GroupFigures>& rows, TextTable& table) {
  for (const std::string_view metric : metrics) {
    const Precision precision(metric, estimate_of(rows.back().metrics, metric));
    add_column(
        head_of(metric), rows,
        [&](const GroupFigures& row) { return precision.format(estimate_of(row.metrics, metric)); },
        table);
  }
}

void add_cost(bool numeric_target, bool by_privacy, const std::vector<GroupFigures>& rows,
              TextTable& table) {
  Estimate Cost::*cost = numeric_target ? &Cost::loss : &Cost::accuracy;
  const char* head = numeric_target ? by_privacy ? "loss added by privacy" : "loss above reference"
                     : by_privacy   ? "lost to privacy, points"
                                    : "below reference, points";
  const Precision precision(numeric_target ? "loss" : "accuracy", rows.back().cost.*cost);
  add_column(
      head, rows, [&](const GroupFigures& row) { return precision.format(row.cost.*cost); }, table);
}

TextTable cost_table(const GroupCosts& groups, bool numeric_target) {
  TextTable table{fmt::format("What groups by {} lose to the reference", groups.columns),
                  {groups.columns}};
  table.ends_in_total = true;
  if (groups.costs.size() < 2) return table;
  for (const GroupLabel& group : groups.groups) table.rows.push_back({values_of(group)});
  table.rows.push_back({"gap"});
  const auto add_column = [&](std::string_view metric, const char* head, Estimate Cost::*cost) {
    table.head.emplace_back(head);
    const Estimate gap = cost_gap(groups.costs, cost).gap;
    const Precision precision(metric, gap);
    for (size_t i = 0; i < groups.costs.size(); ++i)
      table.rows[i].push_back(precision.format(groups.costs[i].*cost));
    table.rows.back().push_back(precision.format(gap));
  };
  if (!numeric_target) add_column("accuracy", "accuracy lost, points [95 %]", &Cost::accuracy);
  add_column("loss", "loss added [95 %]", &Cost::loss);
  return table;
}

TextTable checks_table(std::string caption, std::span<const ConstraintReport> constraints,
                       CheckMember checked) {
  TextTable table{std::move(caption), {"constraint", "value", "95 % interval", "slack", "verdict"}};
  const bool with_reference = checked == &ConstraintReport::check && !constraints.empty() &&
                              constraints[0].reference.has_value();
  if (with_reference) table.head.emplace_back("value of reference");
  for (const ConstraintReport& constraint : constraints) {
    const std::optional<ConstraintCheck>& check = constraint.*checked;
    if (!check) continue;
    const double value = check->value.value;
    const Interval& interval = check->value.interval;
    table.rows.push_back(
        {constraint.text, format_rate(value),
         std::isnan(value)
             ? "-"
             : fmt::format("{} to {}", format_rate(interval.low), format_rate(interval.high)),
         fmt::format("{:g}", constraint.slack), std::string(to_string(check->verdict()))});
    if (with_reference) table.rows.back().push_back(format_rate(constraint.reference->value.value));
  }
  return table;
}

std::string head_of(std::string_view metric) {
  return metric_words(metric) + (is_share(metric) ? " % [95 %]" : " [95 %]");
}

std::string name_of_records(const std::string& columns, const std::string& units) {
  return columns.empty() ? units : columns;
}

std::string caption_of(const std::string& columns) {
  return columns.empty() ? "All records" : "Groups by " + columns;
}

std::string format_change(double change) {
  return std::isfinite(change) ? fmt::format("{:+.3g}", change) : "-";
}

std::string clipping_columns_line() {
  return "Clipping changes the length of a step and its direction, and what each of them costs "
         "depends on which changes first: \"length first\" and \"direction last\" add up to "
         "\"clipping\", and so do \"direction first\" and \"length last\".";
}

std::string format_size_of(double size) {
  return std::isfinite(size) ? fmt::format("{:.3g}", size) : "-";
}

}  // namespace equinoise
