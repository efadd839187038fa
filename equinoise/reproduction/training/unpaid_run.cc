// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/training/unpaid_run.h"

#include <algorithm>
#include <utility>

#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

const TrainingMethodRow* find_built_method(std::string_view name) {
  const auto rows = training_methods();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const TrainingMethodRow& one) { return one.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

TrainingFacts facts_of(const EncodedTable& train, const Model& model) {
  TrainingFacts facts;
  facts.num_records = train.num_records;
  facts.num_parameters = model.num_parameters();
  facts.sum_error = model.sum_error(1);
  facts.max_exact_units = model.max_exact_units();
  facts.num_outputs = model.num_outputs();
  facts.model = model.name();
  return facts;
}

TrainedModel run_unpaid(const TrainingMethod& method, const TrainingPlan& plan,
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
