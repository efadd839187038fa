// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "equinoise/train/clip_policy.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// The largest finite threshold, equivalent to no limit.
inline constexpr double kNoThreshold = 1e150;

/// Options that only dpsgd_f has.
struct DpSgdFOptions {
  ThresholdRule thresholds = ThresholdRule::kPaper;
  std::optional<double> max_threshold;  ///< [4 max_grad_norm]
};

/// DPSGD-F: a clipping threshold for each group, from noisy counts of the same batch. Relation,
/// cost and edge cases: run_noisy_loop; sensitivity: the largest threshold of any group. The groups
/// are those of the table; a record's group is part of the record. Deviations: GroupClip.
class DpSgdF final : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpsgd_f",
      .status = PrivacyStatus::kPrivate,
      .source = "XuDuWu2021",
      .summary =
          "dpsgd with a clipping threshold for each group, which follows its noisy count of long "
          "gradients",
      .min_groups = 1,
      .supports_units = true,
      .clips_otherwise = true,
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
};

}  // namespace equinoise
