// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>

#include "equinoise/audit/disparity.h"
#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

template <typename Range, typename Text>
std::string join(const Range& range, Text text) {
  std::string joined;
  for (const auto& item : range) joined += (joined.empty() ? "" : ", ") + text(item);
  return joined;
}

/// Whether this name, with or without quotes, is used by rows that are not groups.
bool is_reserved(std::string_view name) {
  constexpr std::array<std::string_view, 3> kReserved = {"overall", "gap", "-"};
  while (name.size() > 1 && name.front() == '"' && name.back() == '"')
    name = name.substr(1, name.size() - 2);
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  };
  return std::ranges::any_of(kReserved, [&](std::string_view reserved) {
    return std::equal(name.begin(), name.end(), reserved.begin(), reserved.end(), is_same);
  });
}

/// The number of decimals that show `digits` significant digits of a number of this size.
int decimals_for(double size, int digits) {
  if (!(size > 0 && std::isfinite(size))) return 3;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(size))), 0, 12);
}

}  // namespace

std::string format_up(double value, int digits) {
  constexpr double kTiny = 1e-290;  // a unit of the last digit may not be representable as a double
                                    // below this
  if (value == 0) return "0";
  if (value < kTiny) return fmt::format("{:.{}g}", value * (1 + std::pow(10, 1 - digits)), digits);
  const double unit = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  return fmt::format("{:.{}g}", std::ceil(value / unit * (1 - 1e-12)) * unit, digits);
}

std::string format_epsilon(const Epsilon& epsilon) { return format_up(epsilon.value(), 4); }

std::string format_epsilon(const std::optional<Guarantee>& guarantee) {
  return guarantee ? format_epsilon(guarantee->epsilon) : "none";
}

std::string format_guarantee(const Guarantee& guarantee) {
  return fmt::format("epsilon {}, delta {} ({}, {})", format_epsilon(guarantee.epsilon),
                     guarantee.delta.value(), to_string(guarantee.accountant),
                     to_string(guarantee.relation));
}

std::string groups_rule(const Budget& budget) {
  return budget.fixed_groups
             ? "stated to be fixed: the costs of each group are added up over entries by its name"
             : "may change between entries: each entry costs what its costliest "
               "group pays";
}

std::string account_assumption(const Budget& budget) {
  return budget.fixed_groups
             ? "This account relies on a statement made when it was opened, which nothing checks: "
               "nobody is in a different group in a later entry (--fixed-groups)."
             : "";
}

std::string format_size(const std::optional<int64_t>& size) {
  return size ? format_count(*size) : "not public";
}

std::string format_setting(double value) {
  if (std::isnan(value)) return "-";
  const bool whole = value == std::floor(value) && std::fabs(value) < 1e15;
  return whole ? format_count(static_cast<int64_t>(value)) : fmt::format("{:.6g}", value);
}

std::string format_fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  if (std::fabs(value) >= 1e15) return fmt::format("{:.3g}", value);
  if (decimals == 0) return format_count(std::llround(value));
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool zero = text.find_first_of("123456789") == std::string::npos;
  return zero && text.front() == '-' ? text.substr(1) : text;
}

std::string format_amount(double value) {
  const double size = std::fabs(value);
  if (size > 0 && size < 1e-6) return fmt::format("{:.3g}", value);
  return format_fixed(value, decimals_for(size, 3));
}

std::string csv_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

std::string format_percent(double share) { return format_fixed(100 * share, 1); }

std::string capitalised(std::string text) {
  if (!text.empty())
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

std::string metric_words(std::string_view metric) {
  if (metric == "auc") return "AUC";
  if (metric == "rmse") return "RMSE";
  std::string words(metric);
  std::ranges::replace(words, '_', ' ');
  return words;
}

bool is_share(std::string_view metric) {
  constexpr std::array kShares = {std::string_view("accuracy"), std::string_view("error"),
                                  std::string_view("precision")};
  return metric.ends_with("_rate") || contains(kShares, metric);
}

Precision::Precision(std::string_view metric, const Estimate& typical)
    : percent_(is_share(metric)),
      decimals_(decimals_for((typical.interval.high - typical.interval.low) / 2, 2)) {}

std::string Precision::format(double value) const {
  return percent_ ? format_percent(value) : format_fixed(value, decimals_);
}

std::string Precision::format(const Estimate& estimate) const {
  const double value = estimate.value;
  const Interval& interval = estimate.interval;
  if (!std::isfinite(value)) return "-";
  return fmt::format("{} [{}, {}]", format(value), format(interval.low), format(interval.high));
}

std::string Precision::compact(const Estimate& estimate) const {
  const auto& [value, interval, num_effective] = estimate;
  if (!std::isfinite(value)) return "-";
  const bool has_interval = std::isfinite(interval.low) && std::isfinite(interval.high);
  const std::string text = has_interval ? format(estimate) : format(value);
  if (value == 0 || text.find_first_of("123456789") != std::string::npos) return text;
  const auto digits = [&](double number) { return format_amount((percent_ ? 100 : 1) * number); };
  if (!has_interval) return digits(value);
  return fmt::format("{} [{}, {}]", digits(value), digits(interval.low), digits(interval.high));
}

std::span<const std::string_view> shown_metrics(size_t num_classes) {
  static constexpr std::array<std::string_view, 4> kNumeric = {"rmse", "mean_absolute_error",
                                                               "mean_error", "loss"};
  static constexpr std::array<std::string_view, 5> kTwoClasses = {
      "accuracy", "selection_rate", "true_positive_rate", "false_positive_rate", "loss"};
  static constexpr std::array<std::string_view, 2> kClasses = {"accuracy", "loss"};
  if (num_classes == 0) return kNumeric;
  if (num_classes == 2) return kTwoClasses;
  return kClasses;
}

const Estimate& estimate_of(const Metrics& metrics, std::string_view metric) {
  return metrics.*find_metric(metric).estimate;
}

int64_t num_lost_parameters(const TrainingReport& report) {
  return std::ranges::count_if(report.parameters, [](const auto& named) {
    return !(std::fabs(named.second) <= double{std::numeric_limits<float>::max()});
  });
}

bool pay_apart(std::span<const GroupReport> groups) {
  std::set<double> epsilons;
  for (const GroupReport& group : groups)
    if (group.privacy && group.public_size != 0) epsilons.insert(group.privacy->epsilon.value());
  return epsilons.size() > 1;
}

std::string joined_values(const GroupLabel& group) {
  return join(group, [](const auto& pair) { return pair.second; });
}

std::string values_of(const GroupLabel& group) {
  if (group.empty()) return "overall";
  const std::string name = joined_values(group);
  return is_reserved(name) ? fmt::format("\"{}\"", name) : name;
}

std::string list_groups(const std::vector<GroupLabel>& groups) {
  constexpr size_t kMaxNamed = 5;
  std::string text;
  for (size_t i = 0; i < std::min(groups.size(), kMaxNamed); ++i)
    text += (i > 0 ? "; " : "") + values_of(groups[i]);
  if (groups.size() > kMaxNamed) text += fmt::format(" and {} more", groups.size() - kMaxNamed);
  return text;
}

std::string columns_of(const GroupLabel& group) {
  return join(group, [](const auto& pair) { return pair.first; });
}

std::string columns_of(const std::vector<std::string>& columns) {
  return join(columns, [](const auto& column) { return column; });
}

std::string columns_of(const std::vector<GroupLabel>& groups) {
  std::string text;
  std::string last;
  for (const GroupLabel& group : groups) {
    const std::string columns = columns_of(group);
    if (columns != last) text += (text.empty() ? "" : " or ") + columns;
    last = columns;
  }
  return text;
}

std::vector<GroupingRows> groupings_of(const std::vector<GroupReport>& groups) {
  std::vector<GroupingRows> result;
  for (size_t begin = 0; begin < groups.size();) {
    const std::string columns = columns_of(groups[begin].group);
    size_t end = begin;
    while (end < groups.size() && columns_of(groups[end].group) == columns) ++end;
    result.push_back({columns, {groups.data() + begin, end - begin}});
    begin = end;
  }
  return result;
}

std::string privacy_line(PrivacyStatus status, const std::optional<Guarantee>& privacy) {
  if (status == PrivacyStatus::kInsecureRng) {
    return "NOT PRIVATE: made with a reproducible random source (--insecure-test-rng)";
  }
  if (!privacy) return "NOT PRIVATE: no guarantee";
  if (status == PrivacyStatus::kPrivate) return format_guarantee(*privacy);
  return fmt::format("NOT PRIVATE as a whole: {} covers only the noise",
                     format_guarantee(*privacy));
}

GroupCosts costs_of(const GroupingRows& grouping) {
  GroupCosts result{grouping.columns, {}, {}};
  for (const GroupReport& group : grouping.groups) {
    if (!group.cost) continue;
    result.groups.push_back(group.group);
    result.costs.push_back(*group.cost);
  }
  return result;
}

GroupCosts costs_of(const AuditGrouping& grouping) {
  GroupCosts result{columns_of(grouping.columns), grouping.groups, {}};
  for (const AuditedRecords& group : grouping.figures)
    if (group.cost) result.costs.push_back(*group.cost);
  return result;
}

bool is_private(const TrainingReport& report) {
  return report.status == PrivacyStatus::kPrivate && report.schema_reviewed &&
         report.privacy.has_value();
}

std::string privacy_line(const TrainingReport& report) {
  if (report.schema_reviewed || report.status == PrivacyStatus::kInsecureRng)
    return privacy_line(report.status, report.privacy);
  return privacy_line(PrivacyStatus::kNotPrivate, report.privacy) +
         "; the schema was drafted from the data and not reviewed (--public-data)";
}

std::string describe_model(const TrainingReport& report) {
  if (report.model_per_group)
    return fmt::format("{}, one for each group by {}", report.model,
                       columns_of(report.method_groups));
  if (!report.network) return report.model;
  const NetworkOptions& network = *report.network;
  std::string text = report.model;
  if (!network.channels.empty()) {
    text += fmt::format(", {0} x {0} convolutions of {1} channels", network.kernel_size,
                        fmt::join(network.channels, ", "));
    if (network.pooling != PoolingKind::kNone)
      text += fmt::format(", {} pooling", word_of(kPoolings, network.pooling));
  }
  if (!network.hidden.empty()) {
    text += fmt::format(", hidden layers of {}", fmt::join(network.hidden, ", "));
  }
  return fmt::format("{}, {}", text, word_of(kActivations, network.activation));
}

}  // namespace equinoise
