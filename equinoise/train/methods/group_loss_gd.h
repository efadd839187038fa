// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/train/method.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Gradient descent under bounded group loss without clipping and noise, on all records: dpse's
/// reference. NOT private. [AlabiWiggins2024, Alg. 5 and 6]
///
/// Deviations: those of ask_group_step; G is in the gradients, where the paper omits it; steps are
/// those of the run's optimizer, and the model is the mean of the last iterates.
class GroupLossDescent : public TrainingMethod {
 public:
  const TrainingOptions& options() const override;
  /// Errors: kUsage if epsilon, a noise multiplier or several objectives or multipliers are given.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;

 protected:
  explicit GroupLossDescent(bool steps_shrink) : steps_shrink_(steps_shrink) {}

 private:
  bool steps_shrink_;
};

/// Step t has sqrt(groups) / ((1 + G) sqrt(t)) times the learning rate.
class DpseAlg5 final : public GroupLossDescent {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpse_alg5",
      .status = PrivacyStatus::kNotPrivate,
      .source = "AlabiWiggins2024",
      .summary =
          "gradient descent under bounded group loss with decreasing steps, the non-private "
          "reference of dpse",
      .min_groups = 1,
      .takes_full_batches = true,
      .trains = trains_tailored,
      .other_models = "trains linear and logistic models, got {}",
      .private_form = "dpse",
  };
  const MethodTraits& traits() const override { return kTraits; }
  DpseAlg5() : GroupLossDescent(true) {}
};

/// Every step has the learning rate; the paper's is 1 / (beta_f + G beta_g) for smooth losses.
class DpseAlg6 final : public GroupLossDescent {
 public:
  static constexpr MethodTraits kTraits = {
      .name = "dpse_alg6",
      .status = PrivacyStatus::kNotPrivate,
      .source = "AlabiWiggins2024",
      .summary = "gradient descent under bounded group loss with constant steps, for smooth losses",
      .min_groups = 1,
      .takes_full_batches = true,
      .trains = trains_tailored,
      .other_models = "trains linear and logistic models, got {}",
      .private_form = "dpse",
  };
  const MethodTraits& traits() const override { return kTraits; }
  DpseAlg6() : GroupLossDescent(false) {}
};

}  // namespace equinoise
