// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// DP-SGD with one scale for all gradients (GlobalClip). [BuEtAl2021]
class DpSgdGlobal final : public NoisyGradientMethod {
 public:
  const TrainingOptions& options() const override;
  bool supports_units() const override { return true; }
  bool clips_otherwise() const override { return true; }
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
};

}  // namespace equinoise
