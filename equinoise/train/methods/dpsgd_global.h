#pragma once

#include "equinoise/train/method.h"

namespace equinoise {

/// DP-SGD with one scale for all gradients (GlobalClip). [BuEtAl2021]
class DpSgdGlobal final : public NoisyGradientMethod {
 public:
  TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
};

}  // namespace equinoise
