// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/tasks/compare/option_grid.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// The options that a grid may vary: those of methods, and the number of steps of all.
const TrainingOptions& varied_training_options();

/// Whether a method follows an option that was given for all. A method with another option for the
/// number of steps does not follow that for steps.
bool is_followed(std::string_view method, std::string_view name);

/// The scope of a grid of training methods. `config`: the rest of their configuration.
GridScope training_scope(const TrainingConfig& config);

}  // namespace equinoise
