// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "equinoise/tasks/train/train.h"

namespace equinoise {

/// Copies batch size and steps from request.config if the user chose them. Leaves learning rates
/// and clip to the plan if the user did not choose them (TrainRequest::settles_learning_rate).
/// `is_chosen`: whether the user gave the option of that name.
void settle_unchosen(const std::function<bool(std::string_view name)>& is_chosen,
                     TrainRequest& request);

}  // namespace equinoise
