// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/train/methods/options.h"
#include "tests/matchers.h"
#include "tests/small_tables.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::group_weighted_test {

const TrainingFacts kFacts{
    10'500, 4, 0, 2, 1, {"sex", {"Male", "Female"}, {10'000 / 10'500.0, 500 / 10'500.0}}};

TrainingConfig config_with_noise() { return testing::stepwise_config(105, 100, 2); }

double noise_multiplier_of(const TrainingPlan& plan, size_t group) {
  const Event batches = plan.events()[0].events()[group].events()[0];
  return batches.events()[0].events()[0].noise_multiplier();
}

double epsilon_of(const TrainingPlan& plan, size_t group) {
  return smallest_guarantee(Relation::kZeroOut, plan.events_of(group), plan.privacy->delta)
      .epsilon.value();
}

void expect_refused(const TrainingMethod& method, const TrainingConfig& config,
                    const std::string& part, const TrainingFacts& facts = kFacts) {
  EXPECT_THAT([&] { method.plan(config, facts); },
              ::testing::ThrowsMessage<Error>(HasSubstr(part)));
}

TEST(GroupWeighted, EachGroupPaysForItsWeightTimesItsClip) {
  TrainingConfig config = config_with_noise();
  config.max_grad_norm = 3;
  config.own.of<GroupCostOptions>().weights = {{"Female", 4}};
  config.own.of<GroupCostOptions>().clips = {{"Male", 0.5}};
  const TrainingPlan plan = testing::method_of("group_weighted").plan(config, kFacts);
  EXPECT_EQ(plan.group_bounds, (std::vector<double>{0.5, 12}));
  // Noise of 2 * 12, relative to what each moves a sum.
  EXPECT_NEAR(noise_multiplier_of(plan, 0), 48, 1e-12);
  EXPECT_NEAR(noise_multiplier_of(plan, 1), 2, 1e-13);
  EXPECT_NEAR(plan.noise_stddev, 24, 1e-12);
  EXPECT_EQ(plan.privacy->epsilon.value(), epsilon_of(plan, 1));
  EXPECT_LT(epsilon_of(plan, 0), epsilon_of(plan, 1) / 10);
}

TEST(GroupWeighted, WithoutSettingsItIsDpSgd) {
  const TrainingPlan plan = testing::method_of("group_weighted").plan(config_with_noise(), kFacts);
  const TrainingPlan flat = plan_noisy_gradients("dpsgd", config_with_noise(), kFacts);
  EXPECT_EQ(plan.grid, flat.grid);
  EXPECT_NEAR(plan.noise_stddev, flat.noise_stddev, 1e-14);
  EXPECT_NEAR(plan.privacy->epsilon.value(), flat.privacy->epsilon.value(), 1e-9);
}

TEST(GroupWeighted, AGroupsClipShrinksUntilItsEpsilonPays) {
  TrainingConfig config = config_with_noise();
  config.noise_multiplier.reset();
  config.epsilon = 3;
  config.own.of<GroupCostOptions>().epsilons = {{"Male", 0.5}};
  const TrainingPlan plan = testing::method_of("group_weighted").plan(config, kFacts);
  EXPECT_LE(epsilon_of(plan, 0), 0.5);
  EXPECT_GT(epsilon_of(plan, 0), 0.499);
  EXPECT_LE(epsilon_of(plan, 1), 3);
  EXPECT_GT(epsilon_of(plan, 1), 2.99);
  EXPECT_EQ(plan.group_bounds[1], 1);
  EXPECT_LT(plan.group_bounds[0], 0.7);
  // What makes the run, from the plan alone.
  const auto clip = testing::method_of("group_weighted").make_clip(plan.config, plan.facts);
  EXPECT_EQ(clip->group_bounds()[0], plan.group_bounds[0]);
}

TEST(GroupWeighted, WhereAllHaveAnEpsilonOneKeepsItsClip) {
  TrainingConfig config = config_with_noise();
  config.noise_multiplier.reset();
  config.epsilon = 3;
  config.own.of<GroupCostOptions>().weights = {{"Female", 5}};
  config.own.of<GroupCostOptions>().epsilons = {{"Male", 0.5}, {"Female", 1}};
  const TrainingPlan plan = testing::method_of("group_weighted").plan(config, kFacts);
  EXPECT_NEAR(epsilon_of(plan, 0), 0.5, 1e-3);
  EXPECT_NEAR(epsilon_of(plan, 1), 1, 1e-3);
  EXPECT_LE(epsilon_of(plan, 0), 0.5);
  EXPECT_LE(epsilon_of(plan, 1), 1);
  // The noise that is told is the one that is drawn.
  EXPECT_NEAR(plan.noise_stddev, noise_multiplier_of(plan, 0) * plan.group_bounds[0], 1e-9);
  EXPECT_NEAR(plan.noise_stddev, noise_multiplier_of(plan, 1) * plan.group_bounds[1], 1e-9);
  EXPECT_NEAR(plan.group_bounds[0], 1, 1e-9);
  EXPECT_LT(plan.group_bounds[1], 5);
}

/// Where rounding adds to sensitivities, as for networks, a group of little weight pays a little
/// more instead of raising everybody's noise, and no ceiling is exceeded.
TEST(GroupWeighted, RoundingIsPaidForByWhomItConcerns) {
  TrainingFacts facts = kFacts;
  facts.num_parameters = 1'000'000;
  facts.sum_error = 1000;
  TrainingConfig config = config_with_noise();
  const TrainingPlan flat = testing::method_of("group_weighted").plan(config, facts);
  config.own.of<GroupCostOptions>().weights = {{"Male", 1e-5}};
  const TrainingPlan light = testing::method_of("group_weighted").plan(config, facts);
  EXPECT_NEAR(light.noise_stddev, flat.noise_stddev, 1e-9);
  EXPECT_LT(noise_multiplier_of(light, 0), 2 / 1e-5);
  config = config_with_noise();
  config.noise_multiplier.reset();
  config.epsilon = 3;
  config.own.of<GroupCostOptions>().epsilons = {{"Male", 0.01}, {"Female", 2}};
  const TrainingPlan capped = testing::method_of("group_weighted").plan(config, facts);
  EXPECT_LE(epsilon_of(capped, 0), 0.01);
  EXPECT_LE(epsilon_of(capped, 1), 2);
}

TEST(GroupWeighted, AFullBatchHasTheCostOfItsRho) {
  // Section 1.3 of the specification: rho_k = num_steps (weight clip)^2 / (2 stddev^2).
  TrainingConfig config = config_with_noise();
  config.batch_size = 10'500;
  config.own.of<GroupCostOptions>().weights = {{"Female", 20}};
  const TrainingPlan plan = testing::method_of("group_weighted").plan(config, kFacts);
  for (const size_t k : {0, 1}) {
    const double rho = 100 * std::pow(plan.group_bounds[k] / plan.noise_stddev, 2) / 2;
    const Event gaussian = Event::gaussian(1 / std::sqrt(2 * rho));
    const double epsilon =
        smallest_guarantee(Relation::kZeroOut, {gaussian}, plan.privacy->delta).epsilon.value();
    EXPECT_NEAR(epsilon_of(plan, k), epsilon, 1e-3 * epsilon);
  }
}

TEST(GroupWeighted, RefusesWhatItCannotHonour) {
  const TrainingMethod& method = testing::method_of("group_weighted");
  TrainingConfig config = config_with_noise();
  expect_refused(method, config, "give --groups", {10'500, 4});
  config.own.of<GroupCostOptions>().weights = {{"Femal", 2}};
  expect_refused(method, config, "did you mean \"Female\"?");
  for (const double wrong : {0.0, -1.0, std::nan("")}) {
    config = config_with_noise();
    config.own.of<GroupCostOptions>().weights = {{"Female", wrong}};
    expect_refused(method, config, "group_weight must");
    config = config_with_noise();
    config.own.of<GroupCostOptions>().clips = {{"Female", wrong}};
    expect_refused(method, config, "group_clip must");
    config = config_with_noise();
    config.own.of<GroupCostOptions>().epsilons = {{"Female", wrong}};
    expect_refused(method, config, "group_epsilon must");
  }
  config = config_with_noise();
  config.noise_multiplier.reset();
  config.epsilon = 1;
  config.own.of<GroupCostOptions>().epsilons = {{"Female", 2}};
  expect_refused(method, config, "above the epsilon of the run");
}

TEST(Balanced, GroupsCountAlike) {
  const TrainingPlan plan = testing::method_of("balanced").plan(config_with_noise(), kFacts);
  EXPECT_EQ(plan.group_weights, (std::vector<double>{0.525, 10.5}));
  EXPECT_NEAR(noise_multiplier_of(plan, 0), 40, 1e-12);
  EXPECT_NEAR(noise_multiplier_of(plan, 1), 2, 1e-13);
}

TEST(Balanced, NeedsPublicSizesAndHasWeightsOfItsOwn) {
  TrainingFacts facts = kFacts;
  facts.groups.shares[1].reset();
  expect_refused(testing::method_of("balanced"), config_with_noise(),
                 "public size of group Female is not declared", facts);
  facts.groups.shares = {0, 0};
  expect_refused(testing::method_of("balanced"), config_with_noise(),
                 "declares that nobody is in group Male", facts);
  TrainingConfig config = config_with_noise();
  config.own.of<GroupCostOptions>().weights = {{"Female", 2}};
  expect_refused(testing::method_of("balanced"), config, "sets the weights itself");
}

/// Neighbours in one group: its sums differ by at most its own bound, and attain it.
TEST(GroupWeighted, ANeighbourChangesTheSumByAtMostItsGroupsBound) {
  EncodedTable table = testing::mixed_table(60, 4);
  for (uint32_t i = 0; i < 60; ++i) {
    table.groups.push_back(GroupId(i % 2));
    for (uint32_t j = 0; j < table.num_dense; ++j)
      if (i % 3 == 0) table.dense[i * table.num_dense + j] = 1e6F;
  }
  const LogisticModel model(table.feature_names, table.classes);
  TrainingConfig config = config_with_noise();
  config.batch_size = 60;
  config.num_steps = 1;
  config.own.of<GroupCostOptions>().weights = {{"Male", 0.25}, {"Female", 3}};
  config.own.of<GroupCostOptions>().clips = {{"Male", 0.5}};
  const TrainingPlan plan =
      testing::method_of("group_weighted")
          .plan(config, {60, model.num_parameters(), 0, 2, 1, {"sex", {"Male", "Female"}, {}}});
  class Recorder final : public StepObserver {
   public:
    void on_batch(const BatchView& view) override {
      sum.assign(view.sum_units.begin(), view.sum_units.end());
      grid = view.grid;
    }
    std::vector<int64_t> sum;
    double grid = 0;
  };
  const auto run = [&](const EncodedTable& records) {
    Recorder recorder;
    testing::run_with_seed(testing::method_of("group_weighted"), records, model, plan, 3, recorder);
    return recorder;
  };
  const Recorder whole = run(table);
  std::vector<double> largest(2, 0.0);
  for (uint32_t record = 0; record < 60; ++record) {
    EncodedTable neighbour = table;
    neighbour.contributes[record] = 0;
    const Recorder without = run(neighbour);
    double squared = 0;
    for (size_t j = 0; j < whole.sum.size(); ++j) {
      squared += std::pow(whole.grid * static_cast<double>(whole.sum[j] - without.sum[j]), 2);
    }
    largest[record % 2] = std::max(largest[record % 2], std::sqrt(squared));
  }
  for (const size_t k : {0, 1}) {
    EXPECT_LE(largest[k], plan.group_bounds[k] * (1 + 1e-12));
    EXPECT_GT(largest[k], 0.999 * plan.group_bounds[k]);
  }
}

}  // namespace equinoise::group_weighted_test
