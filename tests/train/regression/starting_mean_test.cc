// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/starting_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/regression/residual_mean.h"
#include "tests/small_tables.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::starting_mean_test {

EncodedTable number_table(int64_t num_records, float value) {
  EncodedTable table = testing::mixed_table(num_records, 7);
  table.targets.assign(static_cast<size_t>(num_records), value);
  table.labels.clear();
  table.classes.clear();
  return table;
}

/// A target within 0 to 10 of which nothing else is known.
TrainingFacts facts_of(int64_t num_records) {
  TrainingFacts facts{num_records, 11};
  facts.model = "linear";
  facts.row_norm = 2;
  facts.target = {5, 2.5, 0, 10, false};
  return facts;
}

TrainingConfig config_of(double epsilon, int64_t num_records) {
  TrainingConfig config = testing::budget_config(epsilon);
  config.batch_size = default_batch_size(num_records);
  config.num_steps = 10;
  config.learning_rate = config.final_learning_rate = 1e-6;
  config.own.of<ResidualOptions>().residual_share = 0;
  return config;
}

/// The intercept of a run from `state`, whose steps are too short to change anything.
double intercept(const EncodedTable& table, const TrainingPlan& plan,
                 std::optional<TrainingState> state = {}) {
  const LinearModel model(table.feature_names, 5);
  SeededSource source(3);
  StepObserver silent;
  TrainingState start = state.value_or(TrainingState::start(model.initial_parameters(1)));
  return testing::method_of("dpsgd")
      .run({table, model, plan, std::move(start),
            Charge::unpaid(plan.events(), Relation::kZeroOut, source), source, silent})
      .parameters.back();
}

TEST(StartingMean, IsPaidForOnlyWhereNobodyKnowsTheMean) {
  const TrainingPlan plan = testing::method_of("dpsgd").plan(config_of(1, 400), facts_of(400));
  ASSERT_EQ(plan.items.size(), 3);
  EXPECT_EQ(plan.items[2].event, Event::gaussian(plan.full_noise_multiplier));
  EXPECT_LE(plan.privacy->epsilon.value(), 1);
  TrainingFacts known = facts_of(400);
  known.target = {0, 1, -3, 3};
  const TrainingPlan without = testing::method_of("dpsgd").plan(config_of(1, 400), known);
  EXPECT_EQ(without.items.size(), 2);
  EXPECT_EQ(without.full_noise_multiplier, 0);
  EXPECT_LT(without.noise_multiplier, plan.noise_multiplier);
  known = facts_of(400);
  known.model = "mlp";
  EXPECT_EQ(testing::method_of("dpsgd").plan(config_of(1, 400), known).items.size(), 2);
}

TEST(StartingMean, IsWhereMethodsLikeItStart) {
  EncodedTable table = number_table(20'000, 7);
  table.groups.assign(table.targets.size(), GroupId(0));
  for (const std::string name : {"dpnose", "dpsgd_global", "dpsgd_global_adapt", "dpsgd_f"}) {
    TrainingFacts facts = facts_of(20'000);
    facts.num_groups = 2;
    const std::unique_ptr<TrainingMethod> method = find_training_method(name).make();
    const TrainingPlan plan = method->plan(config_of(1, 20'000), facts);
    ASSERT_EQ(plan.items.size(), 3) << name;
    EXPECT_EQ(plan.items[2].event, Event::gaussian(plan.full_noise_multiplier)) << name;
    EXPECT_EQ(plan.settings[0].first, "start_noise_multiplier") << name;
    EXPECT_LE(plan.privacy->epsilon.value(), 1) << name;
    const LinearModel model(table.feature_names, 5);
    const TrainedModel trained = testing::run_with_seed(*method, table, model, plan, 3);
    EXPECT_NEAR(trained.parameters.back(), 7, 0.3) << name;
  }
}

TEST(StartingMean, TakesNoMoreOfTheBudgetThanItNeeds) {
  // Full batches, so that the budget of all steps is that of one Gaussian with less noise.
  const auto part_of = [](double epsilon, int64_t num_records) {
    TrainingConfig config = config_of(epsilon, num_records);
    config.batch_size = static_cast<double>(num_records);
    const TrainingPlan plan = testing::method_of("dpsgd").plan(config, facts_of(num_records));
    const double of_steps = 10 / std::pow(plan.noise_multiplier, 2);
    const double of_mean = std::pow(plan.full_noise_multiplier, -2);
    return of_mean / (of_steps + of_mean);
  };
  EXPECT_NEAR(part_of(0.1, 400), 0.2, 0.01);
  // A fiftieth of the spread: noise of 0.05 on a mean of 20,000 targets within 5 of the middle.
  const TrainingPlan large =
      testing::method_of("dpsgd").plan(config_of(1, 20'000), facts_of(20'000));
  EXPECT_NEAR(large.full_noise_multiplier * 5 / 20'000, 0.05, 1e-9);
  EXPECT_LT(part_of(1, 20'000), 0.01);
}

TEST(StartingMean, IsWhereTrainingStarts) {
  const TrainingPlan plan =
      testing::method_of("dpsgd").plan(config_of(1, 20'000), facts_of(20'000));
  EXPECT_NEAR(intercept(number_table(20'000, 7), plan), 7, 0.3);
  // Targets beyond the bounds count as at them, what is no number as the middle.
  EXPECT_NEAR(intercept(number_table(20'000, 70), plan), 10, 0.3);
  const float none = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NEAR(intercept(number_table(20'000, none), plan), 5, 0.3);
  EncodedTable nobody = number_table(20'000, 7);
  nobody.contributes.assign(nobody.contributes.size(), 0);
  EXPECT_NEAR(intercept(nobody, plan), 5, 0.3);
}

/// However many rows a unit has it counts once: half have one row at 9, half three at 5.
TEST(StartingMean, OfUnitsIsTheMeanOfTheirMeans) {
  EncodedTable table = number_table(40'000, 5);
  table.unit_begin = {0};
  while (table.unit_begin.size() <= 20'000) {
    const bool has_one_row = table.unit_begin.size() % 2 == 1;
    if (has_one_row) table.targets[table.unit_begin.back()] = 9;
    table.unit_begin.push_back(table.unit_begin.back() + (has_one_row ? 1 : 3));
  }
  const TrainingPlan plan =
      testing::method_of("dpsgd").plan(config_of(1, 20'000), facts_of(20'000));
  EXPECT_NEAR(intercept(table, plan), 7, 0.3);
  // A unit moves the mean by as much as one row may, whatever its rows are.
  const double with = intercept(table, plan);
  table.targets[1] = table.targets[2] = table.targets[3] = 1e30F;
  EXPECT_NEAR(intercept(table, plan) - with, 5.0 / 20'000, 1e-6);
}

TEST(StartingMean, IsNotDrawnAgainByARunThatIsResumed) {
  const TrainingPlan plan = testing::method_of("dpsgd").plan(config_of(1, 2000), facts_of(2000));
  TrainingState state = TrainingState::start(std::vector<double>(11, 0.0));
  state.num_steps_done = 9;
  state.parameters.back() = 9;
  // The mean of what four averaged iterates left, 0, and of 9.
  EXPECT_NEAR(intercept(number_table(2000, 7), plan, state), 9.0 / 5, 0.01);
}

}  // namespace equinoise::starting_mean_test
