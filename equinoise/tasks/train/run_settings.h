// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// The options of the method, as the run uses them; those of groups by the names that the user
/// gave.
std::vector<Setting> method_settings(const TrainRequest& request, const TrainingSetup& setup);

/// The settings in a run file in addition to the user's: method, model, budget and the options of
/// both.
std::vector<Setting> settled_settings(const TrainRequest& request, const TrainingSetup& setup);

}  // namespace equinoise
