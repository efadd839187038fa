// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/registry.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Two players: an online learner that takes the gradient of one record per step, and a bandit that
/// draws the record's group and receives the noisy loss of another record of it. Every record is
/// read at most once. [ZhouBassily2024, Alg. 2]
///
/// Relation: zero_out with public groups: a record that becomes the null record keeps its group. A
/// RECORD'S GROUP IS NOT PROTECTED, unlike in the other methods; a note of the plan says so.
/// Sensitivity: max_grad_norm for an item of the tree, loss_bound for a loss. Cost: one tree
/// aggregation over num_steps items. A record's position in its group's queue, which is public,
/// decides whether it is an item or a loss, and a loss has noise of the same precision
/// (TreeAggregation::add_noise_beside). With online = descent one Gaussian, for each gradient and
/// each loss (DisjointGaussian). The order in which records are read depends on released losses
/// only. The run ends when a drawn group has an empty queue, which is post-processing. Source: as
/// above.
///
/// Deviations: exploration instead of the printed offset U (GroupBandit); losses have Gaussian
/// noise, so that one event covers both kinds of records; the rate is learning_rate /
/// sqrt(num_steps); sampling is without replacement from finite groups.
class OcoExp3 final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "oco_exp3",
      .status = PrivacyStatus::kPrivate,
      .source = "ZhouBassily2024",
      .summary =
          "training that lowers the largest loss of any group by an online learner and a bandit "
          "that read each record once; treats groups as public; for comparison",
      .min_groups = 2,
      .compares_groups = true,
      .is_stepwise = false,
      .follows_places = true,
      .takes_groups_as_public = true,
      .trains = [](std::string_view model) { return model_facts(model).is_linear; },
      .other_models =
          "trains logistic, softmax, linear and hinge models, got {}; use mgr_w for others",
      .reference = "group_dro",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::optional<NoiseReach> noise_reach(const TrainingPlan& plan) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
