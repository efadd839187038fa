// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/constraints/rate_values.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// Adds warnings from the traces, (constraints), about two kinds of constraints. First, those that
/// training missed with its multipliers at the limit or below it. Second, those for which steps
/// differ by more than noise and the draw of batches explain, so that the model, a mean over steps,
/// may miss the steps' average. In a private run the warnings are post-processing of noisy
/// histograms: publishable, on the model card. Otherwise they are confidential.
void tell_constraints(const std::vector<ConstraintTrace>& traces, const TrainingPlan& plan,
                      TrainingReport& report);

}  // namespace equinoise
