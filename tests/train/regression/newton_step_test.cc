// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/newton_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/small_tables.h"

namespace equinoise::newton_step_test {

constexpr double kRecords = 20'000;

NoisyCurvature exact_at(const EncodedTable& table, const Eigen::VectorXd& at) {
  const NewtonSums sums(10, 0x1p-40);
  return sums.read(sums.sum_up(table, at), table.num_features, 0);
}

TEST(NewtonStep, WithoutNoiseStepsLeadToWhereTheLossIsLeast) {
  const EncodedTable table = testing::mixed_table(static_cast<int64_t>(kRecords), 1);
  Eigen::VectorXd at = Eigen::VectorXd::Zero(11);
  for (int k = 0; k < 8; ++k) at = newton_step(exact_at(table, at), at, kRecords).parameters;
  // Shrinkage for the draw of so many records is next to nothing.
  EXPECT_LT(exact_at(table, at).gradient.cwiseAbs().maxCoeff(), 0.002 * kRecords);
  // The scores of the table are 3 times the sum of its numbers, each in [0, 1], and so on.
  EXPECT_NEAR(at(0), 1.5, 0.15);
  EXPECT_NEAR(at(5) - at(4), 3 * 1.7, 0.4);
}

TEST(NewtonStep, NothingIsLeftOfWhatNoiseHides) {
  const EncodedTable table = testing::mixed_table(1000, 1);
  Eigen::VectorXd at = Eigen::VectorXd::Zero(11);
  at(10) = -0.3;
  NoisyCurvature noisy = exact_at(table, at);
  noisy.gradient_stddev = 1000;
  const NewtonStep step = newton_step(noisy, at, 1000);
  EXPECT_EQ(step.parameters.head(10).norm(), 0);
  EXPECT_EQ(step.parameters(10), -0.3) << "nothing tells that it should be another";
  EXPECT_EQ(step.slope_variance, 0);
}

/// Whatever noise has made of them, derivatives give finite parameters, and scores that a step does
/// not change without limit.
TEST(NewtonStep, OddDerivativesGiveFiniteModels) {
  const EncodedTable table = testing::mixed_table(1000, 1);
  const Eigen::VectorXd at = Eigen::VectorXd::Constant(11, 0.1);
  for (const double scale : {-1.0, 0.0, 1e-300, 1e-6, 1e12}) {
    NoisyCurvature noisy = exact_at(table, at);
    noisy.second *= scale;
    for (const double stddev : {0.0, 1.0, 1e6}) {
      noisy.second_stddev = stddev;
      const NewtonStep step = newton_step(noisy, at, 1000);
      EXPECT_TRUE(step.parameters.allFinite()) << scale << ' ' << stddev;
      EXPECT_LE(std::fabs(step.parameters(10)), 2.1 + 1e-9) << scale << ' ' << stddev;
    }
  }
}

}  // namespace equinoise::newton_step_test
