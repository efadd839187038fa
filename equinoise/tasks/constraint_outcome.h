#pragma once

#include <vector>

#include "equinoise/constraints/rate_values.h"
#include "equinoise/report/training_report.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// Adds to the report what training saw of its constraints, (constraints), and which ones it missed
/// though it pressed as hard as it may. Where the run is private all of it is post-processing
/// of noisy histograms: publishable, a warning of the model card; else it is fenced.
void tell_constraints(const std::vector<ConstraintEstimate>& estimates, const TrainingPlan& plan,
                      TrainingReport& report);

}  // namespace equinoise
