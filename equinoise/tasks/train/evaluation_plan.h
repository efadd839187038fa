// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// Settles the counts and the noise of the private evaluation, if any, the cost of the whole run,
/// and warnings about groups for which the evaluation will be uninformative. Errors: kUsage for a
/// requested evaluation that is impossible.
void plan_evaluation(const TrainRequest& request, TrainingSetup& setup);

}  // namespace equinoise
