// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// Methods for the same table and target that plans do not rank, because their accuracy does not
/// follow from public facts. Each has its purpose and the notes of its plan at this epsilon. Empty
/// for a method without a guarantee, and under constraints, which none of them supports. From
/// public facts only; nothing is read or spent.
std::vector<OtherMethod> other_methods(const TrainRequest& request, const TrainingSetup& setup);

}  // namespace equinoise
