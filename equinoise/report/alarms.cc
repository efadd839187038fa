// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/alarms.h"

#include <fmt/format.h>

#include "equinoise/report/format.h"

namespace equinoise {

namespace {

std::string_view how_missed(LimitVerdict verdict) {
  switch (verdict) {
    case LimitVerdict::kFails:
      return "FAILS";
    case LimitVerdict::kUnclear:
      return "is UNCLEAR";
    case LimitVerdict::kUndefined:
      return "is UNDEFINED";
    case LimitVerdict::kHolds:
    case LimitVerdict::kNotAnswerable:
      break;
  }
  return "is NOT ANSWERABLE";
}

/// With the interval where that lies on both sides of the slack.
std::string value_of(const ConstraintCheck& check) {
  const std::string value = fmt::format("its value is {:.4f}", check.value.value);
  if (check.is_clear()) return value;
  const Interval& interval = check.value.interval;
  return fmt::format("{}, but uncertain, between {:.4f} and {:.4f}", value, interval.low,
                     interval.high);
}

/// Those of `constraints` that were checked and are not kept.
void add_missed(const std::vector<ConstraintReport>& constraints,
                std::optional<ConstraintCheck> ConstraintReport::*checked, const char* source,
                std::vector<std::string>& alarms) {
  for (const ConstraintReport& constraint : constraints) {
    const std::optional<ConstraintCheck>& check = constraint.*checked;
    if (!check || check->verdict() == LimitVerdict::kHolds) continue;
    alarms.push_back(fmt::format("A constraint {} {}: {}", how_missed(check->verdict()), source,
                                 constraint.text));
    if (check->verdict() == LimitVerdict::kFails) alarms.back() += "; " + value_of(*check);
  }
}

}  // namespace

std::vector<std::string> publishable_alarms(const TrainingReport& report) {
  std::vector<std::string> alarms;
  if (!is_private(report)) alarms.push_back(privacy_line(report));
  add_missed(report.constraints, &ConstraintReport::private_check,
             "according to the private evaluation", alarms);
  if (!report.constraints.empty() && !report.why_not_evaluated.empty())
    alarms.emplace_back(
        "Whether the model keeps its constraints is NOT KNOWN: there is no private evaluation");
  return alarms;
}

std::vector<std::string> alarms_of(const TrainingReport& report) {
  std::vector<std::string> alarms = publishable_alarms(report);
  add_missed(report.constraints, &ConstraintReport::check,
             "on the held-out records, according to exact figures that are not private", alarms);
  return alarms;
}

std::vector<std::string> alarms_of(const AuditReport& report) {
  std::vector<std::string> alarms;
  for (const AuditThreshold& threshold : report.thresholds) {
    if (threshold.verdict == LimitVerdict::kHolds) continue;
    alarms.push_back(fmt::format("A limit {}: {}{} by {}", how_missed(threshold.verdict),
                                 metric_words(threshold.metric),
                                 threshold.of_class.empty() ? "" : " of " + threshold.of_class,
                                 columns_of(threshold.columns)));
  }
  for (const AuditRatio& ratio : report.ratios) {
    if (ratio.check.verdict == LimitVerdict::kHolds) continue;
    alarms.push_back(fmt::format("A limit on a ratio {}: {}{} by {}",
                                 how_missed(ratio.check.verdict), metric_words(ratio.metric),
                                 ratio.of_class.empty() ? "" : " of " + ratio.of_class,
                                 columns_of(ratio.columns)));
  }
  add_missed(report.constraints, &ConstraintReport::check, "on the audited records", alarms);
  if (report.logged) return alarms;
  if (report.status != PrivacyStatus::kPrivate || !report.privacy)
    alarms.push_back("The model: " + privacy_line(report.status, report.privacy));
  return alarms;
}

}  // namespace equinoise
