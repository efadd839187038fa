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
  static constexpr MethodTraits kTraits = {
      .name = "fairlens",
      .status = PrivacyStatus::kNotPrivate,
      .source = "EsipovaEtAl2023",
      .summary =
          "dpsgd with penalties on the effects of clipping and noise on groups, which depend on "
          "all records of a batch; for comparison only",
      .min_groups = 1,
      .trains = [](std::string_view model) { return model_facts(model).is_smooth; },
      .other_models =
          "needs second derivatives, which the loss of a {} model does not have; use logistic",
      .unexplained = "gradients of the loss alone, but the steps of {} also follow a penalty",
  };
  const MethodTraits& traits() const override { return kTraits; }
  const TrainingOptions& options() const override;
  /// Its penalties rest on second derivatives.
  /// That of the gradients without the penalties.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
