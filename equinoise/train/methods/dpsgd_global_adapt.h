// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options that only dpsgd_global_adapt has.
struct GlobalAdaptOptions {
  double strict_bound_learning_rate = 0.1;
  double threshold = 1;  ///< for long gradients, in strict bounds
};

/// DP-SGD with one scale for all gradients, adapted to their length (GlobalAdaptClip): a noisy
/// count of long gradients is released from each batch in addition to their sum. [EsipovaEtAl2023]
class DpSgdGlobalAdapt final : public NoisyGradientMethod {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpsgd_global_adapt",
      .status = PrivacyStatus::kPrivate,
      .source = "EsipovaEtAl2023",
      .summary =
          "dpsgd with one scale for all gradients, which follows a noisy count of long gradients",
      .supports_units = true,
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
};

}  // namespace equinoise
