// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// Methods for the same table and target that no plan ranks, since what they would lose by does not
/// follow from public facts, each with what it is for and what its own plan notes at this epsilon.
/// Empty for a method without a guarantee, and under constraints, which none of them keeps. From
/// public facts alone; nothing is read or spent.
std::vector<OtherMethod> other_methods(const TrainRequest& request, const TrainingSetup& setup);

}  // namespace equinoise
