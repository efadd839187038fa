// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/training_options.h"

namespace equinoise {

/// Of methods whose batches tell of the losses of groups: mgr_w, mgr and ags.
const TrainingOptions& group_loss_batch_options();

/// Of methods that bound a record's loss.
const TrainingOptions& loss_bound_options();

/// Of methods whose weights of groups follow losses.
const TrainingOptions& group_learning_rate_options();

/// Of methods that choose a group for each step.
const TrainingOptions& selection_options();

/// Of all methods for the worst group.
const TrainingOptions& radius_options();

}  // namespace equinoise
