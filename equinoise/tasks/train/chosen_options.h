// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "equinoise/tasks/train/train.h"

namespace equinoise {

/// Takes batch size and steps of request.config where somebody chose them, and leaves learning
/// rates and clip to the plan where nobody did (TrainRequest::settles_learning_rate). `is_chosen`:
/// whether a value was given for the option of that name.
void settle_unchosen(const std::function<bool(std::string_view name)>& is_chosen,
                     TrainRequest& request);

}  // namespace equinoise
