// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Multiplicative group reweighting on Poisson batches of all records: each step follows the sum
/// over groups of lambda_g times the mean gradient of the group, and lambda grows with the noisy
/// losses of the same batch. [ZhouBassily2024, Alg. 3, changed]
///
/// Relation: zero_out. Sensitivity, in L2 (GroupSums): max_grad_norm for the sum of clipped
/// gradients, each times its group's weight over the largest; loss_bound for the sums of losses.
/// Cost: num_steps Poisson batches with both Gaussians, which together are one of multiplier
/// (s_g^-2 + s_l^-2)^-1/2: an ordinary account of DP-SGD, loss_share of whose precision goes to
/// losses. It holds for every record, whatever its group, because weights follow released losses
/// only. A record's group is protected like its other values; public sizes are not.
///
/// The mean residual that a number's intercept absorbs is weighted by lambda (WeightedRun), since
/// the model aims at the largest loss of a group, at which the mean over all records is not 0. It
/// is one more Gaussian, in the plan.
///
/// Deviation: the printed algorithm draws one group per step, with a separate batch, and uses the
/// losses of all records. Here a step uses the whole batch and no other record. The noise per step
/// is that of DP-SGD if weights are even, and at the other extreme that of training on one group
/// alone.
class MgrW final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "mgr_w",
      .status = PrivacyStatus::kPrivate,
      .source = "ZhouBassily2024",
      .summary =
          "training that lowers the largest loss of any group, on batches of all records with "
          "groups weighted by noisy losses",
      .min_groups = 2,
      .compares_groups = true,
      .pools_small_groups = true,
      .reference = "group_dro",
      .unexplained =
          "steps in which all records count alike, but those of {} follow groups by their weights",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingConfig slower(TrainingConfig config, const TrainingFacts& facts,
                        double factor) const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override;
  size_t max_kept(const TrainingPlan& plan) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
