// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// DP-SGD with one scale for all gradients (GlobalClip). [BuEtAl2021]
class DpSgdGlobal final : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpsgd_global",
      .status = PrivacyStatus::kPrivate,
      .source = "BuEtAl2021",
      .summary =
          "dpsgd with one scale for all gradients; gradients longer than a strict bound are "
          "dropped",
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
