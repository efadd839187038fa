// SPDX-License-Identifier: Apache-2.0
#include "equinoise/report/alarms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/report/audit/audit_report.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

constexpr const char* kNoEvaluation =
    "Whether the model keeps its constraints is NOT KNOWN: there is no private evaluation";

/// The checked limits that do not hold, a sentence each, and whether any limit was checked.
struct Judged {
  struct Missed {
    LimitVerdict verdict;
    std::string text;
  };
  std::vector<Missed> missed;
  bool is_empty = true;

  /// `what`: "A constraint"; `where`: " on the audited records", or "".
  void add(LimitVerdict verdict, const char* what, const std::string& where,
           const std::string& text) {
    is_empty = false;
    if (verdict == LimitVerdict::kHolds) return;
    const char* how = verdict == LimitVerdict::kFails     ? "FAILS"
                      : verdict == LimitVerdict::kUnclear ? "is UNCLEAR"
                                                          : "is NOT ANSWERABLE";
    missed.push_back({verdict, fmt::format("{} {}{}: {}", what, how, where, text)});
  }
};

/// "0.31 [0.28, 0.35]"
std::string figure_with(double value, const Interval& interval) {
  const std::string high = std::isnan(interval.high) ? "-" : fmt::format("{:.4g}", interval.high);
  return fmt::format("{:.4g} [{:.4g}, {}]", value, interval.low, high);
}

std::string why_not_answerable(const AuditReport& report, const AuditLimit& limit) {
  const GroupCheck& check = limit.check;
  const std::vector<GroupLabel>& left_out = limit.groups.left_out;
  const char* why = "the figure of some group has no interval";
  if (check.num_known < 2) {
    why = "fewer than two groups have this figure";
  } else if (std::isnan(check.value)) {
    why = "the rate is 0 for all groups that have it";
  } else if (!std::isnan(check.interval.high)) {
    why = "some groups with records do not have this figure";
  }
  if (left_out.empty()) return why;
  return fmt::format(
      "{} ({}: {})", why,
      report.release ? "noise hides it" : "no records to count, or records without a prediction",
      list_groups(left_out));
}

void judge_limits(const AuditReport& report, const std::vector<AuditLimit>& limits,
                  const char* what, const char* of, Judged& judged) {
  for (const AuditLimit& limit : limits) {
    const GroupCheck& check = limit.check;
    const std::string result =
        check.verdict == LimitVerdict::kNotAnswerable
            ? why_not_answerable(report, limit)
            : fmt::format("the {} is {}, the limit {:.15g}", of,
                          figure_with(check.value, check.interval), limit.limit);
    judged.add(
        check.verdict, what, "",
        fmt::format("{} by {}: {}", figure_of(report, limit), columns_of(limit.columns), result));
  }
}

/// Those of `constraints` that were checked. There may be many unclear ones; only the first is
/// named.
void judge_constraints(const std::vector<ConstraintReport>& constraints,
                       std::optional<ConstraintCheck> ConstraintReport::*checked,
                       const std::string& where, Judged& judged) {
  std::optional<size_t> first;
  size_t num_unclear = 0;
  for (const ConstraintReport& constraint : constraints) {
    const std::optional<ConstraintCheck>& check = constraint.*checked;
    if (!check) continue;
    const LimitVerdict verdict = check->verdict();
    const bool is_unclear = verdict == LimitVerdict::kUnclear;
    if (is_unclear && num_unclear++ > 0) continue;
    if (is_unclear) first = judged.missed.size();
    judged.add(verdict, "A constraint", where,
               verdict == LimitVerdict::kNotAnswerable
                   ? constraint.text
                   : fmt::format("{}; its value is {}", constraint.text,
                                 figure_with(check->value.value, check->value.interval)));
  }
  if (num_unclear > 1)
    judged.missed[*first].text += fmt::format("; {} more are unclear", num_unclear - 1);
}

Judged judged_publicly(const TrainingReport& report) {
  Judged judged;
  judge_constraints(report.constraints, &ConstraintReport::private_check,
                    " according to the private evaluation", judged);
  return judged;
}

Judged judged_exactly(const std::vector<ConstraintReport>& constraints) {
  Judged judged;
  judge_constraints(constraints, &ConstraintReport::check,
                    " on the held-out records, according to exact figures that are not private",
                    judged);
  return judged;
}

Judged judged_by(const AuditReport& report) {
  Judged judged;
  judge_limits(report, report.thresholds, "A limit", "difference", judged);
  judge_limits(report, report.ratios, "A limit on a ratio", "ratio", judged);
  judge_constraints(report.constraints, &ConstraintReport::check, " on the audited records",
                    judged);
  return judged;
}

std::vector<std::string> texts_of(const Judged& judged) {
  std::vector<std::string> texts;
  for (const Judged::Missed& missed : judged.missed) texts.push_back(missed.text);
  return texts;
}

/// `fenced`: a text to append to the message.
void require(const Judged& judged, bool strict, const char* fenced = "") {
  constexpr std::string_view kWhere = "report.limits";
  if (strict && judged.is_empty) {
    throw Error(ErrorKind::kThreshold, kWhere,
                "--strict asks that all limits and constraints hold, but there are none; give "
                "--constraint or, to audit, --max-disparity or --min-ratio");
  }
  std::vector<std::string> texts;
  for (const Judged::Missed& missed : judged.missed)
    if (strict || missed.verdict == LimitVerdict::kFails) texts.push_back(missed.text);
  if (texts.empty()) return;
  throw Error(ErrorKind::kThreshold, kWhere, fmt::format("{}{}", fmt::join(texts, "; "), fenced));
}

}  // namespace

std::vector<std::string> publishable_alarms(const TrainingReport& report) {
  std::vector<std::string> alarms;
  if (!is_private(report)) alarms.push_back(privacy_line(report));
  for (std::string& text : texts_of(judged_publicly(report))) alarms.push_back(std::move(text));
  if (!report.constraints.empty() && !report.why_not_evaluated.empty())
    alarms.emplace_back(kNoEvaluation);
  return alarms;
}

std::vector<std::string> alarms_of(const TrainingReport& report) {
  std::vector<std::string> alarms = publishable_alarms(report);
  // A constraint that fails, or has the same verdict, by the private evaluation is told by now.
  std::vector<ConstraintReport> others = report.constraints;
  std::erase_if(others, [](const ConstraintReport& constraint) {
    if (!constraint.private_check || !constraint.check) return false;
    const LimitVerdict verdict = constraint.private_check->verdict();
    return verdict == LimitVerdict::kFails || verdict == constraint.check->verdict();
  });
  for (std::string& text : texts_of(judged_exactly(others))) alarms.push_back(std::move(text));
  return alarms;
}

std::vector<std::string> alarms_of(const AuditReport& report) {
  std::vector<std::string> alarms = texts_of(judged_by(report));
  if (report.logged) return alarms;
  if (report.status != PrivacyStatus::kPrivate || !report.privacy)
    alarms.push_back("The model: " + privacy_line(report.status, report.privacy));
  return alarms;
}

void require_limits(const AuditReport& report, bool strict) {
  require(judged_by(report), strict, report.release ? "" : " (exact figures, not private)");
}

void require_limits(const TrainingReport& report, bool strict) {
  Judged judged = judged_publicly(report);
  if (judged.is_empty && !report.constraints.empty()) {
    if (report.privacy) {
      judged.is_empty = false;
      judged.missed.push_back({LimitVerdict::kNotAnswerable, kNoEvaluation});
    } else {
      judged = judged_exactly(report.constraints);
    }
  }
  require(judged, strict);
}

}  // namespace equinoise
