// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/loop.h"

namespace equinoise {

/// The rule by which a step chooses the group whose gradient it follows.
enum class GroupRule {
  kWeights,       ///< at random by weights that grow with noisy losses; events: gaussian losses
  kLargestLoss,   ///< the largest of noisy losses; events: laplace losses
  kExponentially  ///< with Pr ~ exp(loss / scale), of losses that are not released; events:
                  ///< exponential
};

/// Steps along one group's noisy gradient each, for a plan of plan_chosen_groups: the mean over a
/// Poisson batch of the group.
///
/// Relation: zero_out. Sensitivity: max_grad_norm for the sum of the batch, loss_bound for the sums
/// of losses over all records (GroupSums); one score of a choice changes, by loss_bound over the
/// least size. Cost: item 0 of the charge, which has for every step a Poisson batch at the plan's
/// rate and the release that selects the group; the last item is WeightedRun's. Drawing a group
/// amplifies nothing: weights are released and may be 1 for a group. The batch is drawn from all
/// records, and those of other groups are left out, so that it is a Poisson batch of the group; its
/// members pay the cost of the plan whether or not their group is drawn. Edge cases: an empty batch
/// is a noise-only step. Normaliser: the rate times the group's public size. Result independent of
/// the number of threads.
TrainedModel run_chosen_groups(TrainingRun training, GroupRule rule);

}  // namespace equinoise
