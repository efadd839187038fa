// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "equinoise/tasks/train/train.h"

namespace equinoise {

/// Copies batch size and steps from request.config if the user chose them. Leaves learning rates
/// and clip to the plan if the user did not choose them (TrainRequest::settles_learning_rate).
/// `is_chosen`: whether the user gave the option of that name.
void settle_unchosen(const std::function<bool(std::string_view name)>& is_chosen,
                     TrainRequest& request);

/// The rule of settle_method(), for whoever chooses.
std::string rule_of_auto();

/// Sets the method of a request for "auto" by public facts, and TrainRequest::why_method:
/// - raco_dp under constraints, mgr_w for the objective worst-group, the method that releases them
///   for coefficients;
/// - else dpgam, if it takes the request and the chosen options, and training records times epsilon
///   are enough for its bins;
/// - else dpsgd.
void settle_method(const std::function<bool(std::string_view name)>& is_chosen,
                   TrainRequest& request);

}  // namespace equinoise
