// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/audit/audit_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/base/quotes.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "tasks.audit";
constexpr const char* kDisparityOption = "--max-disparity";
constexpr const char* kRatioOption = "--min-ratio";
constexpr std::string_view kSelectionRate = "selection_rate";
constexpr double kAucOfChance = 0.5;

constexpr Refusal refuse_limit{ErrorKind::kUsage, kWhere};

std::string name_of(const GroupLimit& limit) {
  return limit.of_class.empty() ? limit.metric : fmt::format("{}:{}", limit.metric, limit.of_class);
}

void refuse_repeated(const std::vector<GroupLimit>& limits, const char* option) {
  for (auto limit = limits.begin(); limit != limits.end(); ++limit) {
    const bool repeated = std::any_of(limits.begin(), limit, [&](const GroupLimit& earlier) {
      return earlier.metric == limit->metric && earlier.of_class == limit->of_class;
    });
    if (repeated) refuse_limit("{} {} is given twice", option, name_of(*limit));
  }
}

bool is_of_several(const std::vector<std::string>& classes) { return classes.size() > 2; }

/// Whether a target has the metric; for several classes, the metric of each of them.
bool has_metric(const MetricRow& row, const std::vector<std::string>& classes) {
  if (row.fits(classes.size())) return true;
  return row.of_classes && is_of_several(classes) && classes.size() <= kMaxCountedClasses;
}

void check_fits(const GroupLimit& limit, const char* option, bool needs_rate,
                const std::string& target, const std::vector<std::string>& classes) {
  const MetricRow& metric = find_metric(limit.metric);
  if (!has_metric(metric, classes)) {
    std::vector<std::string_view> names;
    for (const MetricRow& row : metric_rows()) {
      if (has_metric(row, classes) && (!needs_rate || row.is_rate)) names.push_back(row.name);
    }
    refuse_limit("{} {}: the target '{}' {}, for which this metric is not defined{}", option,
                 limit.metric, target,
                 classes.empty() ? "is a number" : fmt::format("has {} classes", classes.size()),
                 names.empty() ? "" : fmt::format("; use {}", fmt::join(names, ", ")));
  }
  if (limit.of_class.empty()) return;
  if (!metric.of_classes || !is_of_several(classes)) {
    refuse_limit("{} {}: {}; leave the class out", option, name_of(limit),
                 metric.of_classes ? "a class is named where the target has more than two"
                                   : "this metric is not of a single class");
  }
  if (!contains(classes, limit.of_class)) {
    refuse_limit("{} {}: the target '{}' has no such class", option, name_of(limit), target);
  }
}

bool is_of_selection(const GroupLimit& limit) { return limit.metric == kSelectionRate; }

/// The classes to which a limit applies; "" for a metric of the positive one of two, or of no
/// class.
std::vector<std::string> classes_of(const GroupLimit& limit, bool is_ratio,
                                    const AuditReport& report) {
  if (!limit.of_class.empty()) return {limit.of_class};
  const bool has_several = is_of_several(report.classes);
  if (is_of_selection(limit) && !report.favourable.empty() && (is_ratio || !has_several))
    return {report.favourable};
  if (!find_metric(limit.metric).of_classes || !has_several) return {""};
  return report.classes;
}

/// The group metrics for a limit on one class, or on "".
std::vector<Metrics> judged(std::vector<Metrics> groups, const AuditReport& report,
                            const std::string& of_class) {
  if (of_class.empty()) return groups;
  const auto place = std::ranges::find(report.classes, of_class);
  const auto class_index = static_cast<size_t>(place - report.classes.begin());
  if (is_of_several(report.classes)) return class_metrics(groups, class_index);
  // Records that are not predicted positive are predicted as the first class.
  for (Metrics& group : groups) {
    Estimate& rate = group.selection_rate;
    if (class_index == 0)
      rate = {1 - rate.value, {1 - rate.interval.high, 1 - rate.interval.low}, rate.num_effective};
  }
  return groups;
}

AuditLimit check_limit(const GroupLimit& limit, bool is_ratio, const std::string& of_class,
                       const AuditGrouping& grouping, const AuditReport& report) {
  const auto check = is_ratio ? check_ratio : check_difference;
  AuditLimit result{
      is_ratio,
      limit.metric,
      of_class,
      grouping.columns,
      limit.limit,
      check(find_metric(limit.metric), judged(grouping.metrics(), report, of_class), limit.limit)};
  result.groups = extremes_in(grouping.groups, result.check, !std::isnan(result.check.value));
  return result;
}

}  // namespace

GroupLimit parse_limit(const std::string& text, std::string_view flag, std::string_view example) {
  const size_t sign = rfind_outside_quotes(text, '=');
  const std::string name = text.substr(0, sign);
  const size_t colon = name.find(':');
  GroupLimit limit{name.substr(0, colon), 0};
  if (colon != std::string::npos) limit.of_class = without_quotes(name.substr(colon + 1));
  const char* begin = text.data() + (sign == std::string::npos ? text.size() : sign + 1);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, limit.limit);
  const bool lacks_class = colon != std::string::npos && limit.of_class.empty();
  if (error != std::errc() || stop != end || lacks_class ||
      limit.metric.find('=') != std::string::npos) {
    throw Error(ErrorKind::kUsage, kWhere,
                "{} takes METRIC=NUMBER, as in {}, or METRIC:CLASS=NUMBER for one of "
                "several classes, got {}",
                flag, example, text);
  }
  return limit;
}

void check_limits(const AuditLimits& limits, bool has_groups) {
  for (const GroupLimit& limit : limits.limits) {
    find_metric(limit.metric);
    check_non_negative(kWhere, "max_disparity of " + limit.metric, limit.limit);
  }
  for (const GroupLimit& limit : limits.ratios) {
    // Without groups: check_ratio refuses these before it uses groups.
    check_ratio(find_metric(limit.metric), {}, limit.limit);
  }
  refuse_repeated(limits.limits, kDisparityOption);
  refuse_repeated(limits.ratios, kRatioOption);
  if (has_groups) return;
  if (!limits.limits.empty()) {
    refuse_limit(
        "--max-disparity is a limit on differences between groups; name them with --groups");
  }
  if (!limits.ratios.empty()) {
    refuse_limit("--min-ratio is a limit on ratios between groups; name them with --groups");
  }
}

void check_limits_fit(const AuditLimits& limits, const std::string& target,
                      const std::vector<std::string>& classes) {
  for (const GroupLimit& limit : limits.limits)
    check_fits(limit, kDisparityOption, false, target, classes);
  for (const GroupLimit& limit : limits.ratios)
    check_fits(limit, kRatioOption, true, target, classes);
}

std::string find_favourable(const std::string& text, const ColumnSchema& target) {
  if (text.empty()) return text;
  // No label is the code of another category, so a text of either kind names one class.
  for (const std::vector<std::string>* texts : {&target.values, &target.cell_texts}) {
    const auto found = std::ranges::find(*texts, text);
    if (found != texts->end()) return target.values[static_cast<size_t>(found - texts->begin())];
  }
  refuse_limit(
      "--favourable names no class of '{}'; write it as it stands in the table "
      "or in the schema",
      target.name);
}

void add_class_warnings(const AuditLimits& limits, AuditReport& report) {
  for (const GroupLimit& limit : limits.ratios) {
    if (!is_of_selection(limit) || !limit.of_class.empty() || !report.favourable.empty()) continue;
    report.warnings.push_back(fmt::format(
        "the four-fifths rule is about the outcome that is good for a person, and nobody said "
        "which "
        "one that is: the ratio of selection rates is judged for {}; name the class with "
        "--favourable CLASS, or favourable = \"CLASS\" in the schema",
        is_of_several(report.classes)
            ? "each class"
            : fmt::format("{} = {}", report.target, report.classes.back())));
  }
  const auto add = [&](const Estimate& auc, const std::string& of_class) {
    if (!(auc.interval.high < kAucOfChance)) return;
    report.warnings.push_back(fmt::format(
        "the area under the curve is {:.3f} [{:.3f}, {:.3f}], below that of chance: these look "
        "like "
        "scores of another class than {} = {}; check which class is the positive one and which "
        "column holds its scores",
        auc.value, auc.interval.low, auc.interval.high, report.target, of_class));
  };
  if (report.classes.size() == 2) add(report.overall.metrics.auc, report.classes.back());
  for (size_t k = 0; k < report.overall.metrics.class_scores.size(); ++k)
    add(report.overall.metrics.class_scores[k].auc, report.classes[k]);
}

void add_verdicts(const AuditLimits& limits, const AuditGrouping& grouping, AuditReport& report) {
  for (const GroupLimit& limit : limits.limits)
    for (const std::string& of_class : classes_of(limit, false, report))
      report.thresholds.push_back(check_limit(limit, false, of_class, grouping, report));
  for (const GroupLimit& limit : limits.ratios)
    for (const std::string& of_class : classes_of(limit, true, report))
      report.ratios.push_back(check_limit(limit, true, of_class, grouping, report));
}

}  // namespace equinoise
