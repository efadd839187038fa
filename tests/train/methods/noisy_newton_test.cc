// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "equinoise/base/error.h"
#include "equinoise/models/generalised_linear.h"
#include "equinoise/privacy/accountants/accountant.h"
#include "equinoise/train/methods/options.h"
#include "tests/matchers.h"
#include "tests/small_tables.h"
#include "tests/train/configs.h"
#include "tests/train/seeded_run.h"

namespace equinoise::noisy_newton_test {

TrainingFacts facts_of(int64_t num_records) {
  TrainingFacts facts{num_records, 11};
  facts.model = "logistic";
  facts.row_norm = 2;
  return facts;
}

TrainingConfig config_of(double epsilon, int64_t newton_steps = 0) {
  TrainingConfig config = testing::budget_config(epsilon);
  config.own.of<NewtonOptions>().newton_steps = newton_steps;
  return config;
}

TrainedModel run(const EncodedTable& table, const TrainingConfig& config) {
  const TrainingMethod& method = testing::method_of("noisy_newton");
  const TrainingPlan plan = method.plan(config, facts_of(table.num_records));
  const LogisticModel model(table.feature_names, table.classes);
  return testing::run_with_seed(method, table, model, plan, 3);
}

int64_t planned_steps(int64_t num_records, double epsilon) {
  return static_cast<int64_t>(testing::method_of("noisy_newton")
                                  .plan(config_of(epsilon), facts_of(num_records))
                                  .items.size()) -
         2;
}

/// Gaussians whose precisions add up to that of one.
TEST(NoisyNewton, AllReleasesCostWhatOneGaussianDoes) {
  const TrainingPlan plan =
      testing::method_of("noisy_newton").plan(config_of(1, 3), facts_of(10'000));
  ASSERT_EQ(plan.items.size(), 5);
  double precision = 0;
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(plan.items[k].event.kind(), Event::Kind::kGaussian);
    precision += std::pow(plan.items[k].event.noise_multiplier(), -2);
  }
  EXPECT_NEAR(1 / std::sqrt(precision), plan.noise_multiplier, 1e-9);
  EXPECT_EQ(plan.items[4].event.kind(), Event::Kind::kSamplerError);
  EXPECT_LE(plan.privacy->epsilon.value(), 1);
  EXPECT_GT(plan.privacy->epsilon.value(), 0.99);
  // By the exact condition of [BalleWang2018] for one Gaussian: 4.22 at epsilon 1 and delta 1e-6.
  EXPECT_NEAR(plan.noise_multiplier, 4.22, 0.03);
}

TEST(NoisyNewton, TakesMoreStepsTheLessNoiseDoes) {
  EXPECT_EQ(planned_steps(200, 0.1), 0);
  int64_t last = 0;
  for (const int64_t num_records : {300, 1000, 5000, 20'000, 2'000'000}) {
    const int64_t num_steps = planned_steps(num_records, 1);
    EXPECT_GE(num_steps, last);
    last = num_steps;
  }
  EXPECT_EQ(last, 4);
}

TEST(NoisyNewton, LearnsTheRelation) {
  const EncodedTable table = testing::mixed_table(100'000, 7);
  const TrainedModel trained = run(table, config_of(3, 5));
  for (const size_t j : {0U, 1U, 2U}) EXPECT_NEAR(trained.parameters[j], 3, 0.5) << j;
  ASSERT_TRUE(trained.coefficients);
  EXPECT_EQ(trained.coefficients->log_odds_of, "yes");
  for (const Coefficient& row : trained.coefficients->rows) ASSERT_TRUE(row.estimate) << row.name;
  const NoisyEstimate slope = *trained.coefficients->rows[0].estimate;
  EXPECT_NEAR(slope.value, 3, 4 * *slope.standard_error);
  EXPECT_LT(*slope.standard_error, 0.15);
}

/// Without slopes a model is the share of the classes, also where one of them is all there is.
TEST(NoisyNewton, ASmallBudgetGivesTheShareOfTheClasses) {
  EncodedTable table = testing::mixed_table(300, 7);
  for (size_t i = 0; i < 300; ++i) table.labels[i] = i % 10 == 0 ? 1 : 0;
  const TrainingPlan plan = testing::method_of("noisy_newton").plan(config_of(0.3), facts_of(300));
  ASSERT_EQ(plan.notes.size(), 1);
  EXPECT_THAT(plan.notes[0], HasSubstr("the prediction for everybody"));
  const TrainedModel trained = run(table, config_of(0.3));
  EXPECT_FALSE(trained.coefficients);
  for (size_t j = 0; j < 10; ++j) EXPECT_EQ(trained.parameters[j], 0);
  EXPECT_NEAR(1 / (1 + std::exp(-trained.parameters[10])), 0.1, 0.1);
  std::ranges::fill(table.labels, 1);
  const TrainedModel alike = run(table, config_of(0.3));
  EXPECT_TRUE(std::isfinite(alike.parameters[10]));
  EXPECT_GT(alike.parameters[10], 1);
}

std::string notes_of(int64_t num_records, const TrainingConfig& config) {
  return fmt::format(
      "{}",
      fmt::join(testing::method_of("noisy_newton").plan(config, facts_of(num_records)).notes, " "));
}

TEST(NoisyNewton, APlanWithoutCoefficientsSaysSo) {
  EXPECT_THAT(notes_of(60'000, config_of(8, 1)), HasSubstr("no coefficients"));
  EXPECT_FALSE(run(testing::mixed_table(6000, 7), config_of(8, 1)).coefficients);
  EXPECT_THAT(notes_of(300, config_of(0.3, 3)), HasSubstr("expect about 0 of 10 coefficients"));
  for (const double epsilon : {1.0, 8.0}) EXPECT_EQ(notes_of(30'000, config_of(epsilon)), "");
}

/// A category that noise hides has no coefficient, and the others stay what they are.
TEST(NoisyNewton, RareCategoriesCountAsTheMostFrequentOne) {
  EncodedTable table = testing::mixed_table(20'000, 8);
  for (int64_t i = 0; i < table.num_records; ++i) {
    uint32_t& second = table.active[static_cast<size_t>(2 * i + 1)];
    if (second == 9 && i % 500 != 0) second = 8;
  }
  const TrainedModel trained = run(table, config_of(3, 4));
  const std::vector<Coefficient>& rows = trained.coefficients->rows;
  EXPECT_EQ(rows.back().name, "second=2 (against 1)");
  EXPECT_FALSE(rows.back().estimate);
  ASSERT_TRUE(rows[0].estimate);
  EXPECT_NEAR(rows[0].estimate->value, 3, 4 * *rows[0].estimate->standard_error);
}

TEST(NoisyNewton, RefusesWhatItCannotDo) {
  const auto refusal = [](const TrainingConfig& config, const TrainingFacts& facts) {
    try {
      testing::method_of("noisy_newton").plan(config, facts);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  TrainingFacts linear = facts_of(1000);
  linear.model = "linear";
  EXPECT_THAT(refusal(config_of(1), linear), HasSubstr("use sufficient_statistics"));
  TrainingFacts softmax = facts_of(1000);
  softmax.model = "softmax";
  EXPECT_THAT(refusal(config_of(1), softmax), HasSubstr("use dpsgd"));
  TrainingFacts wide = facts_of(1000);
  wide.num_parameters = 5000;
  EXPECT_THAT(refusal(config_of(1), wide), HasSubstr("leave columns out"));
  EXPECT_THAT(refusal(config_of(1, 21), facts_of(1000)), HasSubstr("newton_steps"));
}

}  // namespace equinoise::noisy_newton_test
