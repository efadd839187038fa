// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "equinoise/privacy/random/source.h"
#include "equinoise/train/registry.h"

namespace equinoise::testing {

/// The method of that name.
inline const TrainingMethod& method_of(const std::string& name) {
  static std::map<std::string, std::unique_ptr<TrainingMethod>> methods;
  std::unique_ptr<TrainingMethod>& method = methods[name];
  if (method == nullptr) method = find_training_method(name).make();
  return *method;
}

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
