// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Training for the largest mean loss of any group, without clipping and noise: the NON-PRIVATE
/// reference of mgr_w. Each step follows the sum over groups of lambda_g times the group's mean
/// gradient; lambda grows with the mean losses of groups in the same batch. Sizes of groups are
/// those of the table. [SagawaEtAl2020, Alg. 1]
///
/// Deviation: a step uses a Poisson batch of all records instead of one record from a drawn group.
/// A group that the batch lacks counts with its last loss, and losses are bounded.
class GroupDro final : public TrainingMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "group_dro",
      .status = PrivacyStatus::kNotPrivate,
      .source = "SagawaEtAl2020",
      .summary =
          "training that lowers the largest loss of any group without clipping and noise, the "
          "non-private reference of mgr_w, mgr and ags",
      .min_groups = 2,
      .compares_groups = true,
      .reference = "group_dro",
      .private_form = "mgr_w",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  /// Errors: kUsage if epsilon or a noise multiplier is given, or there are fewer than two groups.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  size_t max_kept(const TrainingPlan& plan) const override { return 2 * plan.facts.num_groups; }
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
