// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/loop.h"
#include "equinoise/train/observer.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/registry.h"

namespace equinoise {

/// The training method of that name; nullptr if there is none, as items may name methods of papers
/// that are not built.
const TrainingMethodRow* find_built_method(std::string_view name);

/// The public facts about `train` that a plan for the model needs; num_groups is left at 0.
TrainingFacts facts_of(const EncodedTable& train, const Model& model);

/// Reports each finished step.
class StepCounter : public StepObserver {
 public:
  /// `after_step` outlives it and may throw to stop training.
  explicit StepCounter(const std::function<void()>& after_step) : after_step_(after_step) {}
  void on_step(const StepView&) final { after_step_(); }

 private:
  const std::function<void()>& after_step_;
};

/// Runs a plan with the batches, the noise and the initial parameters of a seed. NOT PRIVATE.
TrainedModel run_unpaid(const TrainingMethod& method, const TrainingPlan& plan,
                        const EncodedTable& train, const Model& model, uint64_t seed,
                        StepObserver& observer);

}  // namespace equinoise
