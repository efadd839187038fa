// SPDX-License-Identifier: Apache-2.0
// What is kept of paper 000 as it is printed, and its non-private reference.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/reproduction/simulation/simulated_answers.h"
#include "equinoise/train/tailoring/group_loss_descent.h"
#include "equinoise/train/tailoring/tailoring_options.h"
#include "tests/matchers.h"
#include "tests/small_tables.h"
#include "tests/train/methods/dpse_runs.h"

namespace equinoise::dpse_variants_test {

constexpr int64_t kRecords = 800;
constexpr int64_t kSteps = 10;

/// Every fourth record is of the smaller group, in which the classes are turned round.
EncodedTable class_table() {
  EncodedTable table = testing::mixed_table(kRecords, 3);
  for (int64_t i = 0; i < kRecords; ++i) table.groups.push_back(GroupId(i % 4 == 0 ? 1 : 0));
  for (size_t i = 0; i < table.labels.size(); i += 4) table.labels[i] ^= 1;
  return table;
}

TrainingFacts facts_of(const Model& model) {
  return {kRecords,    model.num_parameters(), 0, 2, 1, {"sex", {"Male", "Female"}, {0.75, 0.25}},
          model.name()};
}

TrainingConfig config_of(double noise_multiplier) {
  TrainingConfig config;
  config.noise_multiplier = noise_multiplier;
  config.num_steps = kSteps;
  return config;
}

/// rho of the answers of all steps, of a group.
double rho_of_group(const TrainingPlan& plan, size_t group) {
  const Event repeat = events_in_turn(plan.events()[0].events()[group])[0];
  double rho = 0;
  for (const Event& answer : repeat.events()[0].events()) rho += testing::rho_of_gaussian(answer);
  return static_cast<double>(repeat.count()) * rho;
}

TEST(DpseAlg3, GroupsPayTheirSharesAndEverybodySeesTheSumOfAllNoise) {
  const EncodedTable table = class_table();
  const LogisticModel model(table.feature_names, table.classes);
  constexpr double kMultiplier = 0.5;  // of one Gaussian that costs as much as the whole run
  const double rho = 1 / (2 * kMultiplier * kMultiplier);
  const TrainingPlan dpnose = testing::method_of("dpnose").plan(
      config_of(kMultiplier * std::sqrt(kSteps)), facts_of(model));
  for (const auto& [split, shares] : {std::pair("uniform", std::array{0.5, 0.5}),
                                      std::pair("inverse_size", std::array{0.25, 0.75})}) {
    TrainingConfig config = config_of(kMultiplier);
    config.own.of<TailoringOptions>().split = parse_split_rule(split);
    const TrainingPlan plan = testing::method_of("dpse_alg3").plan(config, facts_of(model));
    double inverse = 0;
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(rho_of_group(plan, k), shares[k] * rho, 1e-11 * rho);
      inverse += 1 / shares[k];
    }
    EXPECT_NEAR(std::pow(plan.noise_stddev / dpnose.noise_stddev, 2), inverse, 1e-6);
    EXPECT_LT(plan.privacy->epsilon.value(), dpnose.privacy->epsilon.value());
  }
  TrainingConfig config = config_of(kMultiplier);
  config.own.of<TailoringOptions>().loss_multipliers = {1};
  EXPECT_ERROR(kUsage, HasSubstr("has no group loss"),
               testing::method_of("dpse_alg3").plan(config, facts_of(model)));
}

TEST(DpseAlg3, CostsLessThanItsEpsilon) {
  const EncodedTable table = class_table();
  const LogisticModel model(table.feature_names, table.classes);
  TrainingConfig config = config_of(1);
  config.noise_multiplier.reset();
  config.epsilon = 2;
  const TrainingPlan plan = testing::method_of("dpse_alg3").plan(config, facts_of(model));
  EXPECT_LT(plan.privacy->epsilon.value(), 1.5);
  EXPECT_GT(plan.privacy->epsilon.value(), 1);
}

/// Noise of a sum on a mean: what a group pays in truth is less by the square of its size.
TEST(DpsePrintedAlg2, IsChargedForTheNoiseThatIsDrawn) {
  const EncodedTable table = class_table();
  const LogisticModel model(table.feature_names, table.classes);
  const double sizes[] = {600, 200};
  for (const double loss_multiplier : {0.0, 2.0}) {
    TrainingConfig config = config_of(0.5);
    config.own.of<TailoringOptions>().loss_multipliers = {loss_multiplier};
    const TrainingPlan plan = testing::method_of("dpse_printed_alg2").plan(config, facts_of(model));
    const double rho = 1 / (2 * 0.5 * 0.5);
    for (size_t k = 0; k < 2; ++k) {
      const double share_of_gradients = 0.5 / 2;
      const double answers = loss_multiplier > 0 ? 2 : 1;
      const double want = answers * share_of_gradients * rho / (sizes[k] * sizes[k]);
      EXPECT_NEAR(rho_of_group(plan, k), want, 1e-11 * want);
    }
    EXPECT_LT(plan.privacy->epsilon.value(), 0.05);
    // Added up, the two means have noise of these multipliers on a clip of 1.
    const double noise = std::sqrt(kSteps / (2 * 0.5 / 2 * rho) * 2);
    EXPECT_NEAR(plan.noise_stddev / kRecords, noise, 1e-9 * noise);
    // And so has the model, which does not leave its box.
    const TrainedModel trained =
        testing::run_with_seed(testing::method_of("dpse_printed_alg2"), table, model, plan, 4);
    double largest = 0;
    for (const double parameter : trained.parameters)
      largest = std::max(largest, std::fabs(parameter));
    EXPECT_GT(largest, 0.5);
    EXPECT_LE(largest, 5);
  }
}

/// On records in double precision, by the mathematics of tailoring without noise.
TEST(DpseAlg5And6, AreGroupLossDescentWithoutNoise) {
  const EncodedTable table = class_table();
  const LogisticModel model(table.feature_names, table.classes);
  const GroupRecords records = testing::records_in_two_groups(table);
  SimulationNoise noise(1, 1);
  SimulatedGroupAnswers answers(records, RegressionModel::kLogistic,
                                {Relation::kZeroOut, 1e30, 1e30}, noise);
  const double multiplier = 0.3;
  TrainingConfig config;
  config.num_steps = kSteps;
  config.learning_rate = config.final_learning_rate = 0.4;
  config.tail_average = 0;
  config.own.of<TailoringOptions>().loss_multipliers = {multiplier};
  config.own.of<TailoringOptions>().loss_bound = 0.3;
  GroupLossConfig loss = {{0.75, 0.25}, {HUGE_VAL, HUGE_VAL}, multiplier, {0.3, 0.3}};
  const auto expect_descent = [&](const TrainingMethod& method, const StepSize& step_size) {
    const TrainingPlan plan = method.plan(config, facts_of(model));
    EXPECT_FALSE(plan.privacy);
    EXPECT_TRUE(plan.items.empty());
    const std::vector<double> got =
        testing::run_with_seed(method, table, model, plan, 1).parameters;
    const std::vector<double> want = descend(answers, {kSteps, 1e6, step_size}, loss);
    ASSERT_EQ(got.size(), want.size());
    for (size_t j = 0; j < want.size(); ++j) EXPECT_NEAR(got[j], want[j], 1e-5) << j;
    EXPECT_GT(*std::ranges::max_element(want), 0.01);
  };
  expect_descent(testing::method_of("dpse_alg6"), {StepSize::Rule::kConstant, 0.4});
  expect_descent(testing::method_of("dpse_alg5"),
                 {StepSize::Rule::kInverseRoot, 0.4 * std::sqrt(2.0) / (1 + multiplier)});
  config.own.of<TailoringOptions>().objectives = {"largest"};
  config.own.of<TailoringOptions>().loss_constraint = "mean";
  loss.objective_quantile = 1;
  loss.constraint = kMeanOfGroups;
  expect_descent(testing::method_of("dpse_alg6"), {StepSize::Rule::kConstant, 0.4});
  config.own.of<TailoringOptions>() = {};
  config.own.of<TailoringOptions>().objectives = {"sum"};
  loss = {{1, 1}, {HUGE_VAL, HUGE_VAL}};
  expect_descent(testing::method_of("dpse_alg6"), {StepSize::Rule::kConstant, 0.4});
  config.own.of<TailoringOptions>().loss_multipliers = {0, 1};
  EXPECT_ERROR(kUsage, HasSubstr("does not choose among several values"),
               testing::method_of("dpse_alg6").plan(config, facts_of(model)));
}

TEST(Dpnose, IsDpsgdOnFullBatches) {
  const EncodedTable table = class_table();
  const LogisticModel model(table.feature_names, table.classes);
  const TrainingPlan plan = testing::method_of("dpnose").plan(config_of(3), facts_of(model));
  EXPECT_EQ(plan.sample_rate, 1);
  EXPECT_EQ(plan.config.batch_size, kRecords);
  EXPECT_NEAR(testing::rho_of_gaussian(plan.events()[0].events()[0].events()[0]), 1.0 / 18, 1e-15);
}

}  // namespace equinoise::dpse_variants_test
