// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "equinoise/base/error.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/worst_group/worst_group_options.h"
#include "tests/matchers.h"
#include "tests/small_tables.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::two_stage_test {

using ::testing::ThrowsMessage;

constexpr int64_t kRecords = 600;

/// Labels of the second group are turned round: no model fits both, and the larger one decides.
EncodedTable two_worlds() {
  EncodedTable table = testing::mixed_table(kRecords, 3);
  for (size_t i = 0; i < static_cast<size_t>(kRecords); ++i) {
    const bool is_small = i % 4 == 0;
    table.groups.push_back(GroupId(is_small ? 1 : 0));
    if (is_small) table.labels[i] = static_cast<uint16_t>(1 - table.labels[i]);
  }
  return table;
}

TrainingFacts facts_of(const EncodedTable& table) {
  const LogisticModel model(table.feature_names, table.classes);
  return {table.num_records, model.num_parameters(), 0, 2, 1, {"sex", {"many", "few"}, {.75, .25}},
          model.name()};
}

TrainingConfig config_with_noise(double noise_multiplier) {
  TrainingConfig config = testing::stepwise_config(kRecords, 20, noise_multiplier);
  config.max_grad_norm = 1;
  return config;
}

class Watcher final : public StepObserver {
 public:
  void on_batch(const BatchView& view) override { bounds.push_back(view.clip.bound()); }
  void on_step(const StepView& view) override {
    states.push_back(view.state);
    resumable.push_back(view.can_be_resumed);
  }
  std::vector<double> bounds;
  std::vector<TrainingState> states;
  std::vector<bool> resumable;
};

TrainedModel run(const TrainingMethod& method, const EncodedTable& table,
                 const TrainingConfig& config, uint64_t seed, StepObserver& observer) {
  const LogisticModel model(table.feature_names, table.classes);
  const TrainingPlan plan = method.plan(config, facts_of(table));
  SeededSource source(seed);
  Charge charge = Charge::unpaid(plan.events(), config.relation, source);
  return method.run({table, model, plan, TrainingState::start(model.initial_parameters(1)),
                     std::move(charge), source, observer});
}

constexpr size_t kMany = 0;
constexpr size_t kFew = 1;

/// What was released after the first stage.
double loss_of(const TrainedModel& trained, size_t group) {
  return trained.group_path.front().losses[group];
}

/// In the second stage.
double weight_of(const TrainedModel& trained, size_t group) {
  return trained.group_path.back().weights[group];
}

TEST(TwoStage, ThePlanHasTheStepsAndOneReleaseOfLosses) {
  TrainingConfig config = config_with_noise(2);
  config.batch_size = 60;
  const TrainingPlan plan = testing::method_of("two_stage").plan(config, facts_of(two_worlds()));
  ASSERT_EQ(plan.items.size(), 3U);
  EXPECT_EQ(plan.events()[0], Event::repeat(20, Event::poisson_sampled(0.1, {Event::gaussian(2)})));
  // A tenth of the precision: 9 times the variance of what all steps tell.
  const double of_steps = 1 / (0.1 * std::sqrt(20 * std::expm1(0.25)));
  EXPECT_NEAR(plan.events()[2].noise_multiplier(), 3 * of_steps, 1e-12);
  EXPECT_EQ(plan.num_first_steps, 4);
  EXPECT_EQ(
      plan.privacy->epsilon.value(),
      smallest_guarantee(Relation::kZeroOut, plan.events(), plan.privacy->delta).epsilon.value());
  EXPECT_GT(
      plan.privacy->epsilon.value(),
      testing::method_of("dpsgd").plan(config, facts_of(two_worlds())).privacy->epsilon.value());
  config.noise_multiplier.reset();
  config.epsilon = 1;
  const double reached =
      testing::method_of("two_stage").plan(config, facts_of(two_worlds())).privacy->epsilon.value();
  EXPECT_LE(reached, 1);
  EXPECT_GT(reached, 0.99);
}

TEST(TwoStage, RefusesGroupsThatItCannotWeigh) {
  const auto refused = [](const TrainingFacts& facts, const std::string& part) {
    EXPECT_THAT([&] { testing::method_of("two_stage").plan(config_with_noise(1), facts); },
                ThrowsMessage<Error>(HasSubstr(part)));
  };
  TrainingFacts facts = facts_of(two_worlds());
  facts.groups.shares[1].reset();
  refused(facts, "the public size of group few is not declared");
  facts.num_groups = 1;
  refused(facts, "at least two groups");
}

TEST(TwoStage, TheFirstStageIsDpSgd) {
  const EncodedTable table = two_worlds();
  Watcher of_two;
  Watcher of_one;
  run(testing::method_of("two_stage"), table, config_with_noise(1), 5, of_two);
  run(testing::method_of("dpsgd"), table, config_with_noise(1), 5, of_one);
  ASSERT_EQ(of_two.states.size(), 20U);
  for (size_t step = 0; step < 4; ++step) {
    EXPECT_EQ(of_two.states[step].parameters, of_one.states[step].parameters) << step;
    EXPECT_EQ(of_two.bounds[step], 1);
    // Its losses count as drawn once a step is recorded.
    EXPECT_FALSE(of_two.resumable[step]);
  }
  EXPECT_NE(of_two.states[4].parameters, of_one.states[4].parameters);
  for (size_t step = 4; step < 20; ++step) EXPECT_TRUE(of_two.resumable[step]);
}

TEST(TwoStage, GroupsWeighByTheirLosses) {
  const EncodedTable table = two_worlds();
  TrainingConfig config = config_with_noise(2);
  config.num_steps = 60;
  for (const SplitRule rule : {SplitRule::kError, SplitRule::kErrorOverSize}) {
    config.own.of<TwoStageOptions>().weights_by = rule;
    Watcher watcher;
    const TrainedModel trained = run(testing::method_of("two_stage"), table, config, 5, watcher);
    const double many = weight_of(trained, kMany);
    const double few = weight_of(trained, kFew);
    EXPECT_NEAR(0.75 * many + 0.25 * few, 1, 1e-12);
    const double losses = loss_of(trained, kFew) / loss_of(trained, kMany);
    EXPECT_GT(losses, 1.3);
    // Shares are in proportion to losses; over sizes the smaller group has three times as much.
    EXPECT_NEAR(few * few / (many * many), rule == SplitRule::kError ? losses : 3 * losses,
                0.02 * losses);
    // Noise follows the largest weight.
    EXPECT_EQ(watcher.bounds.back(), few);
  }
}

/// Whoever has no second stage does not pay for what makes its weights.
TEST(TwoStage, OneStepIsDpSgdAndCostsNoMore) {
  const EncodedTable table = two_worlds();
  TrainingConfig config = config_with_noise(1);
  config.num_steps = 1;
  const TrainingPlan plan = testing::method_of("two_stage").plan(config, facts_of(table));
  EXPECT_EQ(plan.events(), testing::method_of("dpsgd").plan(config, facts_of(table)).events());
  EXPECT_EQ(plan.noise_follows, "");
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_THAT(plan.notes[0], HasSubstr("one step has no second stage"));
  StepObserver silent;
  const TrainedModel trained = run(testing::method_of("two_stage"), table, config, 5, silent);
  EXPECT_EQ(trained.parameters,
            run(testing::method_of("dpsgd"), table, config, 5, silent).parameters);
  EXPECT_TRUE(trained.group_path.empty());
  // With two all is drawn that is paid for.
  config.num_steps = 2;
  EXPECT_EQ(testing::method_of("two_stage").plan(config, facts_of(table)).num_first_steps, 1);
  EXPECT_EQ(run(testing::method_of("two_stage"), table, config, 5, silent).group_path.size(), 2U);
}

/// One record that becomes null moves the sum of its group's losses by loss_bound, and no more.
TEST(TwoStage, ANeighbourMovesTheLossesByTheirBound) {
  EncodedTable table = two_worlds();
  TrainingConfig config = config_with_noise(1);
  config.learning_rate = config.final_learning_rate = 1e-12;  // both look at one model
  config.own.of<WorstGroupOptions>().loss_bound = 0.5;        // every loss is ln 2
  StepObserver silent;
  const TrainedModel before = run(testing::method_of("two_stage"), table, config, 5, silent);
  table.contributes[4] = 0;
  const TrainedModel after = run(testing::method_of("two_stage"), table, config, 5, silent);
  EXPECT_NEAR(150 * (loss_of(before, kFew) - loss_of(after, kFew)), 0.5, 1e-6);
  EXPECT_EQ(loss_of(before, kMany), loss_of(after, kMany));
}

TEST(TwoStage, LossesHaveTheNoiseThatIsPaidFor) {
  const EncodedTable table = two_worlds();
  TrainingConfig config = config_with_noise(1);
  config.num_steps = 2;
  config.own.of<TwoStageOptions>().first_stage = 0.5;
  config.learning_rate = config.final_learning_rate = 1e-12;
  const double multiplier =
      testing::method_of("two_stage").plan(config, facts_of(table)).events()[2].noise_multiplier();
  constexpr int kRuns = 1600;
  double squares = 0;
  StepObserver silent;
  for (int seed = 0; seed < kRuns; ++seed) {
    const TrainedModel trained =
        run(testing::method_of("two_stage"), table, config, static_cast<uint64_t>(seed), silent);
    const double noise = 150 * (loss_of(trained, kFew) - std::log(2.0));
    squares += noise * noise;
  }
  // loss_bound is 2. Chi-squared of 1,600 degrees of freedom: 4.9 deviations at significance 1e-6.
  const double ratio = squares / kRuns / (4 * multiplier * multiplier);
  std::printf("seeds 0 to %d, ratio %.4f, critical 1 +- %.4f\n", kRuns - 1, ratio,
              4.9 * std::sqrt(2.0 / kRuns));
  EXPECT_NEAR(ratio, 1, 4.9 * std::sqrt(2.0 / kRuns));
}

TEST(LossesBeyondNoise, WithoutNoiseTheyAreWhatTheyWere) {
  const std::vector<double> losses = {0.2, 0.5};
  EXPECT_THAT(losses_beyond_noise(losses, std::vector<int64_t>{900, 100}, 0),
              ElementsAre(::testing::DoubleNear(0.2, 1e-12), ::testing::DoubleNear(0.5, 1e-12)));
}

TEST(LossesBeyondNoise, WhatNoiseExplainsIsTakenBack) {
  // Mean .23; the smaller group is .27 away, with a noise of .2: (.2 / .27)^2 of it is taken.
  const std::vector<double> found =
      losses_beyond_noise(std::vector{0.2, 0.5}, std::vector<int64_t>{900, 100}, 20);
  EXPECT_NEAR(found[0], 0.23 - 0.03 * (1 - std::pow(20 / 900.0 / 0.03, 2)), 1e-12);
  EXPECT_NEAR(found[1], 0.23 + 0.27 * (1 - std::pow(0.2 / 0.27, 2)), 1e-12);
  // All of it where there is more noise.
  for (const double loss :
       losses_beyond_noise(std::vector{0.2, -0.1}, std::vector<int64_t>{900, 100}, 200))
    EXPECT_GT(loss, 0);
  const std::vector<double> alike =
      losses_beyond_noise(std::vector{0.2, 0.5}, std::vector<int64_t>{900, 100}, 100);
  EXPECT_EQ(alike[0], alike[1]);
}

}  // namespace equinoise::two_stage_test
