// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/methods/sufficient_statistics.h"

namespace equinoise {

/// sufficient_statistics with sums per group instead of overall, for the same cost, since a record
/// is in one group. The regression can then weigh groups, and figures of each group are released.
/// Overall sums are those of all groups added up, with the noise of all of them.
class GroupStatistics final : public SufficientStatistics {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "group_statistics",
      .status = PrivacyStatus::kPrivate,
      .source = "Wang2018",
      .summary =
          "sufficient_statistics of each group: one regression that weighs groups as its aim asks, "
          "and how it fits each",
      .min_groups = 2,
      .is_stepwise = false,
      .takes_full_batches = true,
      .clips_otherwise = true,
      .trains = [](std::string_view model) { return model == "linear"; },
      .other_models =
          "trains linear regressions, got {}; use noisy_newton for two classes, else use dpsgd",
      .purpose =
          "for how one regression fits each group, and to let every group count alike, or to make "
          "the largest loss of any group small (--aim)",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
};

}  // namespace equinoise
