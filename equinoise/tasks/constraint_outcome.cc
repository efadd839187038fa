#include "equinoise/tasks/constraint_outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace equinoise {

namespace {

/// An estimate is told as missed where it lies above the slack by so many standard deviations, and
/// by this part of the slack.
constexpr double kClear = 2;
constexpr double kPart = 0.1;

/// The constraints that are missed with their multipliers at the limit, or before it, in words; ""
/// where there are none.
std::string missed_constraints(const std::vector<ConstraintEstimate>& estimates, bool at_limit,
                               const TrainingPlan& plan, const TrainingReport& report) {
  size_t num_missed = 0;
  size_t worst = 0;
  const auto excess = [&](size_t j) { return estimates[j].value - report.constraints[j].slack; };
  for (size_t j = 0; j < estimates.size(); ++j) {
    const double allowed =
        std::max(kClear * estimates[j].stddev, kPart * std::fabs(report.constraints[j].slack));
    if (estimates[j].at_limit != at_limit || !(excess(j) > allowed)) continue;
    if (num_missed == 0 || excess(j) > excess(worst)) worst = j;
    ++num_missed;
  }
  if (num_missed == 0) return "";
  return fmt::format(
      "training missed {} of {} constraints with their multipliers {} the limit of {:g}; in its "
      "estimate {} is missed by {:.3g} (standard deviation {:.2g}): {}",
      num_missed, estimates.size(), at_limit ? "at" : "still below", plan.config.max_multiplier,
      report.constraints[worst].text, excess(worst), estimates[worst].stddev,
      at_limit
          ? "perhaps no such model keeps all of them; give more slack or fewer constraints, or "
            "try a larger --max-multiplier or more --steps"
          : "try more --steps or a larger --dual-learning-rate");
}

}  // namespace

void tell_constraints(const std::vector<ConstraintEstimate>& estimates, const TrainingPlan& plan,
                      TrainingReport& report) {
  // Neither of a seed that is known nor of a schema that was drafted from the records.
  const bool is_private = plan.privacy.has_value() && report.status == "private";
  for (size_t j = 0; j < estimates.size(); ++j) {
    ConstraintReport& constraint = report.constraints[j];
    (is_private ? constraint.released : constraint.observed) = estimates[j];
  }
  for (const bool at_limit : {true, false}) {
    const std::string missed = missed_constraints(estimates, at_limit, plan, report);
    if (!missed.empty()) (is_private ? report.warnings : report.ingest_notes).push_back(missed);
  }
}

}  // namespace equinoise
