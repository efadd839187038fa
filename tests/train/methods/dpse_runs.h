// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/reproduction/simulation/group_records.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"
#include "tests/train/seeded_run.h"

namespace equinoise::testing {

inline TrainingConfig dpse_config(const std::string& split) {
  TrainingConfig config;
  config.noise_multiplier = 0.5;
  config.num_steps = 10;
  config.learning_rate = 0.3;
  config.own.of<TailoringOptions>().split = parse_split_rule(split);
  return config;
}

/// A method of tailoring on the groups of `facts`.
struct DpseRuns {
  struct Outcome {
    TrainingPlan plan;
    TrainedModel trained;
  };

  static constexpr uint64_t kSeed = 4;

  const TrainingMethod& method = method_of("dpse");

  Outcome run(const EncodedTable& table, const Model& model, const TrainingConfig& config,
              const TrainingFacts& facts) const {
    Outcome result{method.plan(config, facts), {}};
    result.trained = run_with_seed(method, table, model, result.plan, kSeed);
    return result;
  }

  static Charge charge(const TrainingPlan& plan) {
    return Charge::unpaid(plan.events(), Relation::kZeroOut, SeededSource(kSeed));
  }

  /// A charge from which stage one has been drawn.
  static Charge charge_after_stage_one(const TrainingPlan& plan) {
    Charge rest = charge(plan);
    rest.take_each(1);
    rest.take_each(2);
    return rest;
  }

  TrainedModel run_from(TrainingState from, Charge charge, const EncodedTable& table,
                        const Model& model, const TrainingPlan& plan,
                        StepObserver& observer) const {
    SeededSource source(kSeed);
    return method.run({table, model, plan, std::move(from), std::move(charge), source, observer});
  }

  /// Plans for an epsilon of 2, with every kind of split.
  void expect_calibrated(const TrainingFacts& facts) const {
    for (const std::string split : {"uniform", "inverse_size", "error"}) {
      TrainingConfig config = dpse_config(split);
      config.noise_multiplier.reset();
      config.epsilon = 2;
      const TrainingPlan plan = method.plan(config, facts);
      EXPECT_LE(plan.privacy->epsilon.value(), 2) << split;
      EXPECT_GT(plan.privacy->epsilon.value(), 1.99) << split;
    }
  }

  void expect_refused(const TrainingConfig& config, const TrainingFacts& facts,
                      const std::string& part) const {
    EXPECT_ERROR(kUsage, HasSubstr(part), method.plan(config, facts));
  }
};

/// With little noise, for a run that is the descent of the mathematics.
inline TrainingConfig quiet_dpse_config() {
  TrainingConfig config = dpse_config("uniform");
  config.noise_multiplier = 0.1;
  config.delta = 0.5;  // so large an epsilon needs it
  config.learning_rate = config.final_learning_rate = 0.4;
  config.tail_average = 0;
  config.max_grad_norm = 0.7;
  config.own.of<TailoringOptions>().loss_multipliers = {0.3};
  config.own.of<TailoringOptions>().loss_bound = 0.3;
  config.own.of<TailoringOptions>().loss_clip = 0.9;
  config.own.of<TailoringOptions>().box = 0.5;
  return config;
}

inline double rho_of_run(const TrainingPlan& plan) {
  return 1 / (2 * plan.noise_multiplier * plan.noise_multiplier);
}

inline double rho_of_gaussian(const Event& event) {
  return 1 / (2 * event.noise_multiplier() * event.noise_multiplier());
}

/// rho of all Gaussian events of a group.
inline double rho_of_group(const TrainingPlan& plan, size_t group) {
  double rho = 0;
  for (const Event& event : events_in_turn(plan.events()[0].events()[group])) {
    if (event.kind() == Event::Kind::kSamplerError) continue;
    const bool repeats = event.kind() == Event::Kind::kRepeat;
    const Event one = repeats ? event.events()[0] : event;
    const std::vector<Event> draws =
        one.kind() == Event::Kind::kPoissonSampled ? one.events() : std::vector{one};
    for (const Event& draw : draws)
      rho += static_cast<double>(repeats ? event.count() : 1) * rho_of_gaussian(draw);
  }
  return rho;
}

inline double epsilon_of(const TrainingPlan& plan, const std::vector<Event>& events) {
  return smallest_guarantee(Relation::kZeroOut, events, plan.privacy->delta).epsilon.value();
}

/// Features, and labels as -1 and 1, of the records for which `is_in` holds, added to the others.
template <typename IsIn>
int64_t add_signed_records(const EncodedTable& table, const IsIn& is_in,
                           std::vector<double>& features, std::vector<double>& targets) {
  int64_t num_added = 0;
  for (int64_t i = 0; i < table.num_records; ++i) {
    if (!is_in(i)) continue;
    const std::vector<double> row = feature_row(table, i);
    append(features, row);
    targets.push_back(table.labels[static_cast<size_t>(i)] == 1 ? 1 : -1);
    ++num_added;
  }
  return num_added;
}

/// The records of class_table() of two tests: every fourth is of the smaller group.
inline GroupRecords records_in_two_groups(const EncodedTable& table) {
  std::vector<double> features;
  std::vector<double> targets;
  std::vector<int64_t> sizes;
  for (const bool is_small : {false, true}) {
    const auto is_in = [&](int64_t record) { return (record % 4 == 0) == is_small; };
    sizes.push_back(add_signed_records(table, is_in, features, targets));
  }
  return GroupRecords::disjoint(features.size() / targets.size(), sizes, features, targets);
}

}  // namespace equinoise::testing
