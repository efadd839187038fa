// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Multiplicative group reweighting: each step draws a group by weights lambda and follows the mean
/// gradient of a batch from it; lambda grows with the noisy losses of all groups. [ZhouBassily2024,
/// Alg. 3]
///
/// Relation: zero_out. Sensitivity and cost: run_chosen_groups; for every step a Poisson batch at
/// the plan's rate with one Gaussian, and one Gaussian on the losses of all records.
///
/// Deviations: Poisson batches instead of draws with replacement, for which no tight account is
/// known. Every group is sampled at the same rate, so that larger groups have larger batches for
/// the same cost. An accountant calibrates the noise, because the printed noise has no condition on
/// batch sizes and is false (printed_noise.h). Losses have Gaussian noise instead of Laplace, which
/// has half the variance at the same zCDP.
class Mgr final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "mgr",
      .status = PrivacyStatus::kPrivate,
      .source = "ZhouBassily2024",
      .summary = "mgr_w with a single group in each step, drawn by its weight; mgr_w is better",
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
