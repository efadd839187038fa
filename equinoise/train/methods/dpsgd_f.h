// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "equinoise/train/clip_policy.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Thresholds up to this are as good as not limited.
inline constexpr double kNoThreshold = 1e150;

/// Options of dpsgd_f alone.
struct DpSgdFOptions {
  ThresholdRule thresholds = ThresholdRule::kPaper;
  std::optional<double> max_threshold;  ///< [4 max_grad_norm]
};

/// DPSGD-F: a clipping threshold for each group, from noisy counts of the same batch. Relation,
/// cost and edge cases: run_noisy_loop; sensitivity: the largest threshold of any group. The groups
/// are those of the table; a record's group is part of the record. Deviations: GroupClip.
class DpSgdF final : public NoisyGradientMethod {
 public:
  const TrainingOptions& options() const override;
  bool supports_units() const override { return true; }
  bool uses_groups() const override { return true; }
  bool clips_otherwise() const override { return true; }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
};

}  // namespace equinoise
