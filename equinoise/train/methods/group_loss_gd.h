// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/models/registry.h"
#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// Gradient descent under bounded group loss without clipping and noise, on all records: dpse's
/// reference. NOT private. [AlabiWiggins2024, Alg. 5 and 6]
///
/// Deviations: those of ask_group_step; G is in the gradients, where the print forgets it; steps
/// are those of the run's optimizer, and the model is the mean of the last iterates.
class GroupLossDescent : public TrainingMethod {
 public:
  const TrainingOptions& options() const override;
  bool uses_groups() const override { return true; }
  bool takes_full_batches() const override { return true; }
  bool trains(std::string_view model) const override {
    const ModelFacts facts = model_facts(model);
    return facts.is_linear && facts.is_smooth && facts.has_one_score;
  }
  /// Errors: kUsage where epsilon, a noise multiplier or something to choose among is given.
  TrainingPlan make_plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(TrainingRun training) const override;

 protected:
  GroupLossDescent(std::string_view name, bool steps_shrink)
      : name_(name), steps_shrink_(steps_shrink) {}

 private:
  std::string_view name_;
  bool steps_shrink_;
};

/// Step t has sqrt(groups) / ((1 + G) sqrt(t)) times the learning rate.
class DpseAlg5 final : public GroupLossDescent {
 public:
  DpseAlg5() : GroupLossDescent("dpse_alg5", true) {}
};

/// Every step has the learning rate; the paper's is 1 / (beta_f + G beta_g) of smooth losses.
class DpseAlg6 final : public GroupLossDescent {
 public:
  DpseAlg6() : GroupLossDescent("dpse_alg6", false) {}
};

}  // namespace equinoise
