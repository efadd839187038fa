// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/constraint_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/train/methods/raco_dp.h"

namespace equinoise {

namespace {

/// The mean over steps is reported as missed if it exceeds the slack by this many standard
/// deviations and by this part of the slack.
constexpr double kClear = 2;
constexpr double kPart = 0.1;

/// The missed constraints, with their multipliers at the limit or below it, in words; "" if there
/// are none. Advice only if it follows from paid releases or is public: a setting derived from
/// exact rates of private records would reveal them.
std::string missed_constraints(const std::vector<ConstraintTrace>& traces, bool at_limit,
                               bool with_advice, const TrainingPlan& plan,
                               const TrainingReport& report) {
  size_t num_missed = 0;
  size_t worst = 0;
  const auto excess = [&](size_t j) { return traces[j].mean - report.constraints[j].slack; };
  for (size_t j = 0; j < traces.size(); ++j) {
    const double allowed =
        std::max(kClear * traces[j].mean_stddev, kPart * std::fabs(report.constraints[j].slack));
    if (traces[j].at_limit != at_limit || !(excess(j) > allowed)) continue;
    if (num_missed == 0 || excess(j) > excess(worst)) worst = j;
    ++num_missed;
  }
  if (num_missed == 0) return "";
  return fmt::format(
      "training missed {} of {} constraints while their multipliers were {} the limit of {:g}; "
      "averaged over the last steps, {} was missed by {:.3g} (standard deviation {:.2g}){}",
      num_missed, traces.size(), at_limit ? "at" : "still below",
      plan.config.own.of<RateOptions>().max_multiplier, report.constraints[worst].text,
      excess(worst), traces[worst].mean_stddev,
      !with_advice ? ""
      : at_limit
          ? ": perhaps no model of this kind keeps all of them; allow more slack or fewer "
            "constraints, or try a larger --max-multiplier or more --steps"
          : fmt::format(": try more --steps or a larger --dual-learning-rate; if its "
                        "multiplier, now {:.2g}, rises and it is missed as before, perhaps no "
                        "model of this kind keeps all of them",
                        traces[worst].multiplier));
}

/// The constraints for which steps differ by more than noise explains, in words; "" if there are
/// none.
std::string moving_constraints(const std::vector<ConstraintTrace>& traces,
                               const TrainingReport& report) {
  const auto beyond = [&](size_t j) { return traces[j].spread / traces[j].limit; };
  size_t num_moving = 0;
  size_t worst = 0;
  for (size_t j = 0; j < traces.size(); ++j) {
    if (!(traces[j].spread > traces[j].limit)) continue;
    if (num_moving == 0 || beyond(j) > beyond(worst)) worst = j;
    ++num_moving;
  }
  if (num_moving == 0) return "";
  return fmt::format(
      "the model is a mean over steps, and in {} of {} constraints these steps vary more than "
      "noise and the draw of batches explain; {} varies with a standard deviation of {:.2g}, of "
      "which {:.2g} would be explained: the model may be on either side of the slack",
      num_moving, traces.size(), report.constraints[worst].text, traces[worst].spread,
      traces[worst].explained);
}

}  // namespace

void tell_constraints(const std::vector<ConstraintTrace>& traces, const TrainingPlan& plan,
                      TrainingReport& report) {
  // Not private with a known seed, or with a schema that was drafted from the records.
  const bool is_private = plan.privacy.has_value() && report.status == PrivacyStatus::kPrivate;
  const bool with_advice = is_private || !report.schema_reviewed;
  for (const std::string& warning : {missed_constraints(traces, true, with_advice, plan, report),
                                     missed_constraints(traces, false, with_advice, plan, report),
                                     moving_constraints(traces, report)}) {
    if (!warning.empty()) (is_private ? report.warnings : report.ingest_notes).push_back(warning);
  }
}

}  // namespace equinoise
