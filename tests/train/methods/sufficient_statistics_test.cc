// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "equinoise/base/error.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/train/methods/options.h"
#include "tests/matchers.h"
#include "tests/small_tables.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::sufficient_statistics_test {

using testing::budget_config;

EncodedTable number_table(int64_t num_records) {
  EncodedTable table = testing::mixed_table(num_records, 7);
  for (int64_t i = 0; i < num_records; ++i) {
    const std::span<const float> x = table.dense_row(i);
    table.targets.push_back(0.2F + 0.5F * x[0] - 0.3F * x[1] +
                            0.1F * static_cast<float>(i % 3 - 1));
  }
  table.labels.clear();
  table.classes.clear();
  return table;
}

TrainingFacts facts_of(const EncodedTable& table) {
  TrainingFacts facts{table.num_records, 11};
  facts.model = "linear";
  facts.row_norm = 2;
  facts.target = {0.5, 0.75, -1, 2};
  return facts;
}

TrainedModel run(const EncodedTable& table, const TrainingFacts& facts,
                 const TrainingConfig& config) {
  const TrainingMethod& method = testing::method_of("sufficient_statistics");
  const TrainingPlan plan = method.plan(config, facts);
  const LinearModel model(table.feature_names);
  return testing::run_with_seed(method, table, model, plan, 3);
}

TrainedModel run(const EncodedTable& table, const TrainingConfig& config) {
  return run(table, facts_of(table), config);
}

TEST(SufficientStatistics, CostsOneGaussianOnAllRecords) {
  const EncodedTable table = number_table(2000);
  const TrainingPlan plan =
      testing::method_of("sufficient_statistics").plan(budget_config(1), facts_of(table));
  ASSERT_EQ(plan.items.size(), 2);
  EXPECT_EQ(plan.items[0].event.kind(), Event::Kind::kGaussian);
  EXPECT_EQ(plan.items[0].event.noise_multiplier(), plan.noise_multiplier);
  EXPECT_EQ(plan.items[1].event.kind(), Event::Kind::kSamplerError);
  EXPECT_LE(plan.privacy->epsilon.value(), 1);
  EXPECT_GT(plan.privacy->epsilon.value(), 0.99);
  // The smallest noise of one Gaussian, by the exact condition of [BalleWang2018]: 4.22 at
  // epsilon 1 and delta 1e-6.
  EXPECT_NEAR(plan.noise_multiplier, 4.22, 0.01);
}

TEST(SufficientStatistics, LearnsTheRelation) {
  const EncodedTable table = number_table(60'000);
  const TrainedModel trained = run(table, budget_config(3));
  EXPECT_NEAR(trained.parameters[0], 0.5, 0.02);
  EXPECT_NEAR(trained.parameters[1], -0.3, 0.02);
  EXPECT_NEAR(trained.parameters[2], 0, 0.02);
  ASSERT_TRUE(trained.coefficients);
  const NoisyEstimate slope = *trained.coefficients->rows[0].estimate;
  EXPECT_NEAR(slope.value, 0.5, 4 * *slope.standard_error);
  EXPECT_LT(*slope.standard_error, 0.02);
}

TEST(SufficientStatistics, SmallBudgetsGiveTheMeanAndSaySo) {
  const EncodedTable table = number_table(200);
  const TrainingPlan plan =
      testing::method_of("sufficient_statistics").plan(budget_config(0.1), facts_of(table));
  ASSERT_EQ(plan.notes.size(), 1);
  EXPECT_THAT(plan.notes[0], HasSubstr("noise would hide most"));
  const TrainedModel trained = run(table, budget_config(0.1));
  for (size_t j = 0; j < 10; ++j) EXPECT_EQ(trained.parameters[j], 0) << j;
  EXPECT_GE(trained.parameters[10], -1);
  EXPECT_LE(trained.parameters[10], 2);
  EXPECT_FALSE(trained.coefficients);
  EXPECT_TRUE(testing::method_of("sufficient_statistics")
                  .plan(budget_config(8), facts_of(number_table(20'000)))
                  .notes.empty());
}

/// Where slopes are worth a release, noise may still hide each of them.
TEST(SufficientStatistics, APlanWhoseCoefficientsNoiseMayHideSaysSo) {
  const TrainingFacts facts = facts_of(number_table(1000));
  const TrainingPlan plan =
      testing::method_of("sufficient_statistics").plan(budget_config(0.2), facts);
  ASSERT_EQ(plan.notes.size(), 1);
  EXPECT_THAT(plan.notes[0], HasSubstr("expect about 0 of 10 coefficients"));
  EXPECT_TRUE(
      testing::method_of("sufficient_statistics").plan(budget_config(3), facts).notes.empty());
}

/// Targets of which nothing but bounds is known, ten times as wide as they are and far off.
TrainingFacts facts_of_bounds(const EncodedTable& table) {
  TrainingFacts facts = facts_of(table);
  facts.target = {-9, 5, -19, 1, false};
  return facts;
}

TEST(SufficientStatistics, PaysForAMeanFirstWhereNobodyKnowsIt) {
  const EncodedTable table = number_table(20'000);
  const TrainingFacts facts = facts_of_bounds(table);
  const TrainingPlan plan =
      testing::method_of("sufficient_statistics").plan(budget_config(1), facts);
  ASSERT_EQ(plan.items.size(), 3);
  EXPECT_EQ(plan.items[2].event, Event::gaussian(plan.full_noise_multiplier));
  EXPECT_LE(plan.privacy->epsilon.value(), 1);
  EXPECT_GT(plan.privacy->epsilon.value(), 0.99);
  const TrainingPlan known =
      testing::method_of("sufficient_statistics").plan(budget_config(1), facts_of(table));
  EXPECT_EQ(known.full_noise_multiplier, 0);
  EXPECT_LT(known.noise_multiplier, plan.noise_multiplier);
  // Where no slopes are asked for there is one mean, with all of the budget.
  TrainingFacts few = facts;
  few.num_records = 300;
  const TrainingPlan mean_alone =
      testing::method_of("sufficient_statistics").plan(budget_config(0.1), few);
  EXPECT_EQ(mean_alone.items.size(), 2);
  EXPECT_EQ(mean_alone.full_noise_multiplier, 0);
}

/// Wherever the mean is, no target within its bounds is cut off: some are nearly twice as far from
/// it as bounds are from their middle, and follow a feature.
TEST(SufficientStatistics, TargetsFarFromAReleasedMeanCountAsTheyAre) {
  EncodedTable table = number_table(20'000);
  for (size_t i = 0; i < table.targets.size(); ++i)
    if (table.dense_row(static_cast<int64_t>(i))[0] > 0.97F) table.targets[i] = -19;
  const TrainingFacts facts = facts_of_bounds(table);
  TrainingConfig config = budget_config(40);
  config.own.of<MomentOptions>().target_bound = 1e6;
  const TrainedModel told = run(table, facts, config);
  TrainingFacts known = facts;
  known.target.has_mean = true;
  const TrainedModel from_middle = run(table, known, config);
  EXPECT_LT(from_middle.parameters[0], -1);
  EXPECT_NEAR(told.parameters[0], from_middle.parameters[0],
              0.05 * std::fabs(from_middle.parameters[0]));
  std::map<std::string, double> chosen(told.chosen.begin(), told.chosen.end());
  EXPECT_NEAR(chosen.at("target_bound"), 10 + chosen.at("target_center") + 9, 1e-9);
}

TEST(SufficientStatistics, RefusesWhatItCannotDo) {
  const auto expect_refused = [](const TrainingConfig& config, const TrainingFacts& facts,
                                 const char* part) {
    EXPECT_THAT([&] { testing::method_of("sufficient_statistics").plan(config, facts); },
                ::testing::ThrowsMessage<Error>(HasSubstr(part)));
  };
  TrainingFacts facts = facts_of(number_table(100));
  facts.num_parameters = 3000;
  expect_refused(budget_config(1), facts, "2999 features");
  facts = facts_of(number_table(100));
  facts.model = "logistic";
  expect_refused(budget_config(1), facts, "use noisy_newton");
  facts = facts_of(number_table(100));
  TrainingConfig none;
  expect_refused(none, facts, "epsilon");
}

}  // namespace equinoise::sufficient_statistics_test
