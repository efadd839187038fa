// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/simulated_answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "equinoise/train/tailoring/sensitivities.h"

namespace equinoise::simulated_answers_test {

using Values = std::vector<double>;

constexpr uint64_t kSeed = 20261122;
constexpr int kDraws = 40000;
/// Significance 1e-6, two-sided.
constexpr double kCritical = 4.9;

/// Checks mean and variance of draws against N(mean, stddev^2).
template <typename Draw>
void expect_normal(double mean, double stddev, const Draw& draw) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = (draw() - mean) / stddev;
    sum += z;
    squares += z * z;
  }
  std::printf("seed %llu, %d draws, mean %.3f and variance %.3f in their errors, critical %.1f\n",
              static_cast<unsigned long long>(kSeed), kDraws, sum / std::sqrt(kDraws),
              (squares - kDraws) / std::sqrt(2.0 * kDraws), kCritical);
  EXPECT_LE(std::fabs(sum) / std::sqrt(kDraws), kCritical);
  EXPECT_LE(std::fabs(squares - kDraws) / std::sqrt(2.0 * kDraws), kCritical);
}

const std::vector<int64_t> kSizes = {3, 2};

GroupRecords few_records() {
  return GroupRecords::disjoint(1, kSizes, {1, -2, 0.5, 3, -1}, {1, 1, -1, 0.5, 2});
}

TEST(SimulatedAnswers, HaveTheNoiseOfTheirBudget) {
  const GroupRecords records = few_records();
  for (const Relation relation : {Relation::kZeroOut, Relation::kReplaceOne}) {
    const AnswerBounds bounds = {relation, 1.5, 4};
    SimulationNoise noise(kSeed, 1);
    SimulatedGroupAnswers answers(records, RegressionModel::kLinear, bounds, noise);
    const Values theta = {0.3};
    Values clean(1);
    answers.gradient_mean(1, theta, HUGE_VAL, clean);
    expect_normal(clean[0], noise_stddev(gradient_mean_sensitivity(relation, 1.5, 2), 0.7), [&] {
      Values answer(1);
      answers.gradient_mean(1, theta, 0.7, answer);
      return answer[0];
    });
    expect_normal(answers.loss_mean(0, theta, HUGE_VAL),
                  noise_stddev(loss_mean_sensitivity(relation, 4, 3), 0.7),
                  [&] { return answers.loss_mean(0, theta, 0.7); });
    answers.weighted_sum(theta, Values{1, 0.5}, Values{1, 2}, 0, clean);
    expect_normal(clean[0], 3, [&] {
      Values answer(1);
      answers.weighted_sum(theta, Values{1, 0.5}, Values{1, 2}, 3, answer);
      return answer[0];
    });
  }
}

TEST(SimulatedAnswers, OfStageOneHaveTheNoiseOfTheirBudget) {
  const StageOneBounds bounds = {Relation::kReplaceOne, 2, 1, 1.5};
  SimulationNoise noise(kSeed, 2);
  SimulatedStageOneAnswers answers(few_records(), bounds);
  answers.use(noise);
  const MomentRelease separate = MomentRelease::kSeparate;
  // Clipped rows 1, -2, 0.5, 2, -1 and targets 1, 1, -1, 0.5, 1.
  expect_normal(10.25, xtx_noise_stddev(bounds, 1, separate, 0.7),
                [&] { return answers.moments(separate, 0.7).xtx[0]; });
  expect_normal(1 - 2 - 0.5 + 1 - 1, xty_noise_stddev(bounds, separate, 0.7),
                [&] { return answers.moments(separate, 0.7).xty[0]; });
  // Residuals at 1: 0, -3, 1.5 and 1.5, -2.
  expect_normal(2.25 + 2.25, noise_stddev(residual_sum_sensitivity(bounds.relation, 1.5), 0.7),
                [&] { return answers.residual_sums(Values{1}, 0.7)[1]; });
}

/// Brier's score is at most 1, and so is its sensitivity.
TEST(SimulatedAnswers, OfLogisticStageOneHaveTheNoiseOfBriersScore) {
  const StageOneBounds bounds = {Relation::kZeroOut, 4, 40, 2};
  SimulationNoise noise(kSeed, 3);
  SimulatedStageOneAnswers answers(
      GroupRecords::disjoint(1, std::vector<int64_t>{1, 1}, {std::log(4.0), 0}, {1, -1}), bounds,
      RegressionModel::kLogistic);
  answers.use(noise);
  expect_normal(0.04, noise_stddev(residual_sum_sensitivity(bounds.relation, 1), 0.7),
                [&] { return answers.residual_sums(Values{1}, 0.7)[0]; });
}

TEST(SimulationNoise, StreamsAreTheirOwn) {
  SimulationNoise one(kSeed, 1);
  SimulationNoise same(kSeed, 1);
  SimulationNoise other(kSeed, 2);
  const double first = one.normal();
  EXPECT_EQ(first, same.normal());
  EXPECT_NE(first, other.normal());
  for (int i = 0; i < 1000; ++i) EXPECT_LT(std::fabs(one.uniform()), 1);
}

}  // namespace equinoise::simulated_answers_test
