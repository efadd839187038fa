// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/tasks/compare/option_grid.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// What a grid may vary: options of methods, and the number of steps of all.
const TrainingOptions& varied_training_options();

/// Whether a method follows an option that was given for all. The number of steps is no option of
/// a method that has one of its own for it.
bool is_followed(std::string_view method, std::string_view name);

/// What a grid may vary of training methods whose configuration is `config` otherwise.
GridScope training_scope(const TrainingConfig& config);

}  // namespace equinoise
