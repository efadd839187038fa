#include "equinoise/tasks/constraint_outcome.h"

#include <fmt/format.h>

namespace equinoise {

namespace {

/// Standard deviations by which an estimate must lie above the slack to be told as missed.
constexpr double kClear = 2;

/// The constraints whose multipliers are at their limit and which are missed all the same; "" where
/// there are none.
std::string missed_constraints(const std::vector<ConstraintEstimate>& estimates,
                               const TrainingPlan& plan, const TrainingReport& report) {
  size_t num_missed = 0;
  size_t worst = 0;
  const auto excess = [&](size_t j) { return estimates[j].value - report.constraints[j].slack; };
  for (size_t j = 0; j < estimates.size(); ++j) {
    if (!estimates[j].at_limit || !(excess(j) > kClear * estimates[j].stddev)) continue;
    if (num_missed == 0 || excess(j) > excess(worst)) worst = j;
    ++num_missed;
  }
  if (num_missed == 0) return "";
  return fmt::format(
      "training missed {} of {} constraints with their multipliers at the limit of {:g}; in its "
      "estimate {} is missed by {:.3g} (standard deviation {:.2g}): perhaps no such model keeps "
      "all of them; give more slack or fewer constraints, or try a larger --max-multiplier or more "
      "--steps",
      num_missed, estimates.size(), plan.config.max_multiplier, report.constraints[worst].text,
      excess(worst), estimates[worst].stddev);
}

}  // namespace

void tell_constraints(const std::vector<ConstraintEstimate>& estimates, const TrainingPlan& plan,
                      TrainingReport& report) {
  const bool is_private = plan.privacy.has_value();
  for (size_t j = 0; j < estimates.size(); ++j) {
    ConstraintReport& constraint = report.constraints[j];
    (is_private ? constraint.released : constraint.observed) = estimates[j];
  }
  const std::string missed = missed_constraints(estimates, plan, report);
  if (!missed.empty()) (is_private ? report.warnings : report.ingest_notes).push_back(missed);
}

}  // namespace equinoise
