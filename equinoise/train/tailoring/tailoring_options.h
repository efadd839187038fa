// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/training_options.h"

namespace equinoise {

/// Of methods that divide the budget among groups.
const TrainingOptions& split_options();

/// Of methods under bounded group loss.
const TrainingOptions& group_loss_options();

/// Of methods that clip the losses of bounded group loss.
const TrainingOptions& group_loss_clip_options();

/// Of methods that add up gradients of groups in more than one way.
const TrainingOptions& group_objective_options();

/// Of methods that choose among several runs.
const TrainingOptions& mean_runs_options();

}  // namespace equinoise
