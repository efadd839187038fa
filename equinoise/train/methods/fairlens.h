// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/registry.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Options that only fairlens has.
struct FairLensOptions {
  double clipping_penalty = 1;
  double boundary_penalty = 1;
};

/// FairLens: DP-SGD whose loss has two penalties that are functions of the whole batch
/// (FairLensSum). NOT PRIVATE, whatever noise is added, and kept for comparison only: its plan is
/// empty and it refuses a target epsilon. noise_multiplier (default 0) is a parameter of the
/// experiment without any guarantee.
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
  /// The plan of gradients without the penalties, which need second derivatives.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;
};

}  // namespace equinoise
