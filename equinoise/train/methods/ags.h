// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Active group selection: each step chooses a group with a large loss and follows the mean
/// gradient of a batch from it. [ZhouBassily2024, Alg. 5]
///
/// Relation: zero_out. Sensitivity and cost: run_chosen_groups; for every step a Poisson batch at
/// the plan's rate with one Gaussian, and the choice. "laplace" releases all losses with Laplace
/// noise and takes the largest. A record moves one loss, so noise of scale loss_bound / (n
/// epsilon0) costs epsilon0, without the factor 2 of other proofs. "gumbel" is the exponential
/// mechanism, Pr ~ exp(loss n_min epsilon0 / loss_bound), and releases the choice alone. One score
/// moves, so all log-ratios are in an interval of width epsilon0, which is epsilon0^2 / 8 zCDP.
///
/// Deviations: those of mgr; gumbel, which the paper does not have, is the default, because it has
/// half the scale of Laplace noise at the same zCDP.
class Ags final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "ags",
      .status = PrivacyStatus::kPrivate,
      .source = "ZhouBassily2024",
      .summary =
          "mgr_w with a single group of large loss in each step, chosen privately; mgr_w is better",
      .min_groups = 2,
      .compares_groups = true,
      .pools_small_groups = true,
      .reference = "group_dro",
      .unexplained =
          "steps in which all records count alike, but those of {} follow groups by their weights",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override;
  size_t max_kept(const TrainingPlan& plan) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
