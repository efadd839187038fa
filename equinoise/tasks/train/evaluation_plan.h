// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// Settles what the private evaluation counts and its noise, if there is to be one, what all of the
/// run costs, and warnings of groups that it will show little about. Errors: kUsage for an
/// evaluation that is asked for and cannot be.
void plan_evaluation(const TrainRequest& request, TrainingSetup& setup);

}  // namespace equinoise
