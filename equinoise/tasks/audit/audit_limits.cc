// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/audit_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.audit";
constexpr const char* kDisparityOption = "--max-disparity";
constexpr const char* kRatioOption = "--min-ratio";

[[noreturn]] void refuse_limit(std::string_view message) {
  throw Error(ErrorKind::kUsage, kWhere, message);
}

template <typename Limit>
std::string name_of(const Limit& limit) {
  return limit.of_class.empty() ? limit.metric : fmt::format("{}:{}", limit.metric, limit.of_class);
}

template <typename Limit>
void refuse_repeated(const std::vector<Limit>& limits, const char* option) {
  for (auto limit = limits.begin(); limit != limits.end(); ++limit) {
    const bool repeated = std::any_of(limits.begin(), limit, [&](const Limit& earlier) {
      return earlier.metric == limit->metric && earlier.of_class == limit->of_class;
    });
    if (repeated) refuse_limit(fmt::format("{} {} is given twice", option, name_of(*limit)));
  }
}

bool is_of_several(const std::vector<std::string>& classes) { return classes.size() > 2; }

/// Whether a target has the metric, of each of its classes if it has several.
bool has_metric(const MetricRow& row, const std::vector<std::string>& classes) {
  if (row.fits(classes.size())) return true;
  return row.of_classes && is_of_several(classes) && classes.size() <= kMaxCountedClasses;
}

template <typename Limit>
void check_fits(const Limit& limit, const char* option, bool needs_rate, const std::string& target,
                const std::vector<std::string>& classes) {
  const MetricRow& metric = find_metric(limit.metric);
  if (!has_metric(metric, classes)) {
    std::vector<std::string_view> names;
    for (const MetricRow& row : metric_rows()) {
      if (has_metric(row, classes) && (!needs_rate || row.is_rate)) names.push_back(row.name);
    }
    refuse_limit(fmt::format(
        "{} {}: the target '{}' {}, for which this metric is not defined{}", option, limit.metric,
        target, classes.empty() ? "is a number" : fmt::format("has {} classes", classes.size()),
        names.empty() ? "" : fmt::format("; use {}", fmt::join(names, ", "))));
  }
  if (limit.of_class.empty()) return;
  if (!metric.of_classes || !is_of_several(classes)) {
    refuse_limit(fmt::format("{} {}: {}; leave the class out", option, name_of(limit),
                             metric.of_classes
                                 ? "a class is named where the target has more than two"
                                 : "this metric is not of a single class"));
  }
  if (std::find(classes.begin(), classes.end(), limit.of_class) == classes.end()) {
    refuse_limit(
        fmt::format("{} {}: the target '{}' has no such class", option, name_of(limit), target));
  }
}

/// The classes that a limit is about; "" for a metric that is not of one of several.
template <typename Limit>
std::vector<std::string> classes_of(const Limit& limit, const std::vector<std::string>& classes) {
  if (!find_metric(limit.metric).of_classes || !is_of_several(classes)) return {""};
  if (!limit.of_class.empty()) return {limit.of_class};
  return classes;
}

/// What a limit on one class, or "", looks at.
struct Judged {
  std::vector<Metrics> groups;
  Metrics overall;
};

Judged judged(const AuditGrouping& grouping, const AuditReport& report,
              const std::string& of_class) {
  if (of_class.empty()) return {grouping.metrics, report.overall};
  const auto place = std::find(report.classes.begin(), report.classes.end(), of_class);
  const auto class_index = static_cast<size_t>(place - report.classes.begin());
  return {class_metrics(grouping.metrics, class_index), class_metrics(report.overall, class_index)};
}

AuditThreshold check_limit(const DisparityLimit& limit, const std::string& of_class,
                           const AuditGrouping& grouping, const AuditReport& report) {
  const auto [groups, overall] = judged(grouping, report, of_class);
  const Disparity disparity = disparity_in(find_metric(limit.metric), groups, overall);
  return {limit.metric,
          grouping.columns,
          limit.max_disparity,
          disparity.difference_between_groups.value,
          check_disparity(disparity, groups, limit.max_disparity),
          groups_at(grouping.groups, disparity.left_out),
          of_class};
}

AuditRatio check_limit(const RatioLimit& limit, const std::string& of_class,
                       const AuditGrouping& grouping, const AuditReport& report) {
  AuditRatio ratio{limit.metric, of_class, grouping.columns, limit.min_ratio,
                   check_ratio(find_metric(limit.metric), judged(grouping, report, of_class).groups,
                               limit.min_ratio)};
  ratio.left_out = groups_at(grouping.groups, ratio.check.left_out);
  if (std::isnan(ratio.check.value)) return ratio;
  ratio.lowest = {grouping.groups[ratio.check.lowest]};
  ratio.highest = {grouping.groups[ratio.check.highest]};
  return ratio;
}

std::string left_out_words(const std::vector<GroupLabel>& left_out) {
  return left_out.empty()
             ? ""
             : fmt::format(" (no records to count, or records without a prediction: {})",
                           list_groups(left_out));
}

/// Why a limit on a ratio does not hold.
std::string explain(const AuditRatio& ratio) {
  const RatioCheck& check = ratio.check;
  const std::string what = fmt::format("the ratio of {}{} between groups of {} is", ratio.metric,
                                       ratio.of_class.empty() ? "" : " of " + ratio.of_class,
                                       fmt::join(ratio.columns, ", "));
  if (check.verdict != LimitVerdict::kUndefined) {
    return fmt::format("{} {:.4g}, with an interval from {:.4g} to {:.4g} {} the limit {}", what,
                       check.value, check.interval.low, check.interval.high,
                       check.verdict == LimitVerdict::kFails ? "below" : "across", ratio.min_ratio);
  }
  const char* why = "some groups with records do not have this rate";
  if (check.num_known < 2) {
    why = "fewer than two groups have this rate";
  } else if (std::isnan(check.value)) {
    why = "the rate is 0 for all groups that have it";
  }
  return fmt::format("{} undefined: {}{}", what, why, left_out_words(ratio.left_out));
}

/// Why a limit on a difference does not hold.
std::string explain(const AuditThreshold& threshold) {
  const std::string what =
      fmt::format("the difference of {}{} between groups of {} is", threshold.metric,
                  threshold.of_class.empty() ? "" : " of " + threshold.of_class,
                  fmt::join(threshold.columns, ", "));
  if (threshold.verdict == LimitVerdict::kFails) {
    return fmt::format("{} {:.4g}, above the limit {} by {:.4g}", what, threshold.value,
                       threshold.max_disparity, threshold.value - threshold.max_disparity);
  }
  return fmt::format("{} not answerable: {}{}", what,
                     std::isnan(threshold.value)
                         ? "fewer than two groups have this figure"
                         : "some groups with records do not have this figure",
                     left_out_words(threshold.left_out));
}

}  // namespace

void check_limits(const AuditLimits& limits, bool has_groups) {
  for (const DisparityLimit& limit : limits.disparities) {
    find_metric(limit.metric);
    check_non_negative(kWhere, "max_disparity of " + limit.metric, limit.max_disparity);
  }
  for (const RatioLimit& limit : limits.ratios) {
    // Of nobody, what check_ratio refuses before it looks at groups.
    check_ratio(find_metric(limit.metric), {}, limit.min_ratio);
  }
  refuse_repeated(limits.disparities, kDisparityOption);
  refuse_repeated(limits.ratios, kRatioOption);
  if (has_groups) return;
  if (!limits.disparities.empty()) {
    refuse_limit(
        "--max-disparity is a limit on differences between groups; name them with --groups");
  }
  if (!limits.ratios.empty()) {
    refuse_limit("--min-ratio is a limit on ratios between groups; name them with --groups");
  }
}

void check_limits_fit(const AuditLimits& limits, const std::string& target,
                      const std::vector<std::string>& classes) {
  for (const DisparityLimit& limit : limits.disparities)
    check_fits(limit, kDisparityOption, false, target, classes);
  for (const RatioLimit& limit : limits.ratios)
    check_fits(limit, kRatioOption, true, target, classes);
}

void add_verdicts(const AuditLimits& limits, const AuditGrouping& grouping, AuditReport& report) {
  for (const DisparityLimit& limit : limits.disparities)
    for (const std::string& of_class : classes_of(limit, report.classes))
      report.thresholds.push_back(check_limit(limit, of_class, grouping, report));
  for (const RatioLimit& limit : limits.ratios)
    for (const std::string& of_class : classes_of(limit, report.classes))
      report.ratios.push_back(check_limit(limit, of_class, grouping, report));
}

void require_limits(const AuditReport& report) {
  std::vector<std::string> failures;
  std::vector<std::string> unclear;
  std::vector<std::string> unanswered;
  const auto sort_in = [&](LimitVerdict verdict, const std::string& why) {
    if (verdict == LimitVerdict::kFails) failures.push_back(why);
    if (verdict == LimitVerdict::kUnclear) unclear.push_back(why);
    if (verdict == LimitVerdict::kNotAnswerable || verdict == LimitVerdict::kUndefined)
      unanswered.push_back(why);
  };
  for (const AuditThreshold& threshold : report.thresholds)
    if (threshold.verdict != LimitVerdict::kHolds) sort_in(threshold.verdict, explain(threshold));
  for (const AuditRatio& ratio : report.ratios)
    if (ratio.check.verdict != LimitVerdict::kHolds) sort_in(ratio.check.verdict, explain(ratio));
  std::vector<std::string> problems;
  const auto add = [&](const std::vector<std::string>& limits, const char* problem) {
    if (limits.empty()) return;
    problems.push_back(fmt::format("{} of {} limits {} (not private): {}", limits.size(),
                                   report.thresholds.size() + report.ratios.size(), problem,
                                   fmt::join(limits, "; ")));
  };
  add(failures, "do not hold");
  add(unclear, "are unclear");
  add(unanswered, "are not answerable");
  if (!problems.empty())
    throw Error(ErrorKind::kThreshold, kWhere, fmt::format("{}", fmt::join(problems, "; ")));
}

}  // namespace equinoise
