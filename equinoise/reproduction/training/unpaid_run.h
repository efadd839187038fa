// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/train/loop.h"
#include "equinoise/train/method.h"
#include "equinoise/train/observer.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// The public facts about `train` that a plan for the model needs; num_groups is left at 0.
inline TrainingFacts facts_of(const EncodedTable& train, const Model& model) {
  TrainingFacts facts;
  facts.num_records = train.num_records;
  facts.num_parameters = model.num_parameters();
  facts.sum_error = model.sum_error(1);
  facts.max_exact_units = model.max_exact_units();
  facts.num_outputs = model.num_outputs();
  facts.model = model.name();
  return facts;
}

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
inline TrainedModel run_unpaid(const TrainingMethod& method, const TrainingPlan& plan,
                               const EncodedTable& train, const Model& model, uint64_t seed,
                               StepObserver& observer) {
  SeededSource source(seed);
  const Relation relation = plan.config.relation;
  Charge charge = plan.items.empty() ? Charge::nothing(relation)
                                     : Charge::unpaid(plan.events(), relation, source);
  return method.run({train, model, plan, TrainingState::start(model.initial_parameters(seed)),
                     std::move(charge), source, observer});
}

}  // namespace equinoise
