// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/registry.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options of fairlens alone.
struct FairLensOptions {
  double clipping_penalty = 1;
  double boundary_penalty = 1;
};

/// FairLens: DP-SGD whose loss has two penalties that are functions of the whole batch
/// (FairLensSum). NOT PRIVATE, whatever noise is added, and kept for comparison: its plan is empty,
/// it refuses a target epsilon, and noise_multiplier (0 unless given) is a parameter of the
/// experiment without any claim.
class FairLens final : public TrainingMethod {
 public:
  const TrainingOptions& options() const override;
  bool uses_groups() const override { return true; }
  /// Its penalties rest on second derivatives.
  bool trains(std::string_view model) const override { return model_facts(model).is_smooth; }
  /// That of the gradients without the penalties.
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
