// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/constraints/rate_values.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// Warns, by the traces of the constraints, (constraints), of those that training missed though it
/// pressed as hard as it may, and of steps that lie further apart than noise and the draw of
/// batches explain, so that their mean, the model, need not be where they are on average. Where the
/// run is private this is post-processing of noisy histograms: publishable, on the model card; else
/// it is fenced.
void tell_constraints(const std::vector<ConstraintTrace>& traces, const TrainingPlan& plan,
                      TrainingReport& report);

}  // namespace equinoise
