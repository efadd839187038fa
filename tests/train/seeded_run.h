// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "equinoise/privacy/random/source.h"
#include "equinoise/train/method.h"

namespace equinoise::testing {

/// Keeps the state after every step.
class KeptStates final : public StepObserver {
 public:
  void on_step(const StepView& view) override { all.push_back(view.state); }
  std::vector<TrainingState> all;
};

/// A run from the model's initial parameters with the batches and the noise of a seed.
inline TrainedModel run_with_seed(const TrainingMethod& method, const EncodedTable& table,
                                  const Model& model, const TrainingPlan& plan, uint64_t seed,
                                  StepObserver& observer) {
  SeededSource source(seed);
  return method.run({table, model, plan, TrainingState::start(model.initial_parameters(1)),
                     Charge::unpaid(plan.events(), plan.config.relation, source), source,
                     observer});
}

inline TrainedModel run_with_seed(const TrainingMethod& method, const EncodedTable& table,
                                  const Model& model, const TrainingPlan& plan, uint64_t seed) {
  StepObserver silent;
  return run_with_seed(method, table, model, plan, seed, silent);
}

}  // namespace equinoise::testing
