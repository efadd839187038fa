// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/shrunk_regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace equinoise::shrunk_regression_test {
namespace {

constexpr double kRecords = 1000;

/// Of two features of mean 0 and variances 1 and 0.25 that are not correlated; targets are
/// 0.5 + 2 x_0 - x_1 + noise of variance 0.25.
Moments moments_without_noise() {
  Moments moments{Eigen::Matrix2d{{1, 0}, {0, 0.25}} * kRecords,
                  Eigen::Vector2d{2, -0.25} * kRecords, Eigen::Vector2d::Zero()};
  moments.weight = kRecords;
  moments.target = 0.5 * kRecords;
  moments.target_squares = (0.25 + 4 + 0.25 + 0.25) * kRecords;
  return moments;
}

TEST(ShrunkRegression, WithoutNoiseIsNearlyLeastSquares) {
  const ShrunkRegression fit = shrunk_regression(moments_without_noise(), kRecords, 10);
  EXPECT_NEAR(fit.slopes(0), 2, 0.02);
  EXPECT_NEAR(fit.slopes(1), -1, 0.04);
  EXPECT_NEAR(fit.intercept, 0.5, 1e-9);
  EXPECT_GT(fit.slope_variance, 0);
}

TEST(ShrunkRegression, NothingIsLeftOfWhatNoiseHides) {
  Moments moments = moments_without_noise();
  moments.second_stddev = 2 * kRecords;
  const ShrunkRegression hidden = shrunk_regression(moments, kRecords, 10);
  EXPECT_EQ(hidden.slopes.norm(), 0);
  EXPECT_NEAR(hidden.intercept, 0.5, 1e-9);
  // Between the variances of the features: what can be told of the first one is.
  moments.second_stddev = 0.4 * kRecords;
  const ShrunkRegression partly = shrunk_regression(moments, kRecords, 10);
  EXPECT_GT(partly.slopes(0), 1);
  EXPECT_EQ(partly.slopes(1), 0);
  // A mean that its own noise explains is 0.
  moments.target_stddev = kRecords;
  EXPECT_EQ(shrunk_regression(moments, kRecords, 10).intercept, 0);
}

/// What is taken off for the means has noise of its own: where it explains all of what is left, it
/// is no slope.
TEST(ShrunkRegression, NoiseOfMeansFarFromTheMiddleIsNoSlope) {
  for (const double sign : {-1.0, 1.0}) {
    Moments moments = moments_without_noise();
    // Both features are about 1, the target about -5 and independent of them.
    moments.sum.setConstant(kRecords);
    moments.second += Eigen::Matrix2d::Constant(kRecords);
    moments.target = -5 * kRecords;
    moments.cross.setConstant(-5 * kRecords);
    moments.target_squares = 25.25 * kRecords;
    moments.cross_stddev = 1;
    EXPECT_LT(shrunk_regression(moments, 2 * kRecords, 10).slopes.norm(), 1e-9);
    // A weight that is off by its noise moves the mean by a fifth of a standard deviation.
    moments.weight_stddev = 0.02 * kRecords;
    moments.weight += sign * moments.weight_stddev;
    EXPECT_LT(shrunk_regression(moments, 2 * kRecords, 10).slopes.norm(), 0.02) << sign;
  }
}

/// A symmetric matrix with noise as moments have it.
Eigen::MatrixXd symmetric_noise(Eigen::Index size, double stddev, std::mt19937_64& generator) {
  std::normal_distribution<double> normal(0, stddev);
  Eigen::MatrixXd noise(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j)
      noise(i, j) = noise(j, i) = normal(generator) / (i == j ? 1 : std::sqrt(2));
  }
  return noise;
}

/// Features that are the same for all records, far from their middles: whatever noise makes of them
/// is taken for slopes in few of many draws. At significance 1e-6 of a share of 0.1; without the
/// noise of what is taken off for the means it is above 0.5.
TEST(ShrunkRegression, NoiseAloneIsNoSlopeWhereverTheMeansAre) {
  constexpr int kDraws = 200;
  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal;
  for (const Eigen::Index p : {1, 6, 30}) {
    int num_slopes = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      const Eigen::VectorXd mean = Eigen::VectorXd::Constant(p, 1);
      Moments moments{kRecords * mean * mean.transpose(), -kRecords * mean, kRecords * mean};
      moments.weight = kRecords;
      moments.target = -kRecords;
      moments.target_squares = 1.01 * kRecords;
      moments.second_stddev = static_cast<double>(p);
      moments.sum_stddev = moments.cross_stddev = 3 * std::sqrt(static_cast<double>(p));
      moments.weight_stddev = moments.target_stddev = moments.target_squares_stddev = 4;
      moments.second += symmetric_noise(p, moments.second_stddev, generator);
      for (Eigen::Index i = 0; i < p; ++i) {
        moments.sum(i) += moments.sum_stddev * normal(generator);
        moments.cross(i) += moments.cross_stddev * normal(generator);
      }
      moments.weight += 4 * normal(generator);
      moments.target += 4 * normal(generator);
      moments.target_squares += 4 * normal(generator);
      num_slopes += shrunk_regression(moments, 2 * kRecords, 3).slopes.norm() > 0 ? 1 : 0;
    }
    EXPECT_LT(num_slopes, 44) << p;
  }
}

/// Whatever the noise has made of them, moments give finite predictions.
TEST(ShrunkRegression, OddMomentsGiveFiniteModels) {
  for (const double scale : {-1.0, 0.0, 1e-300, 1e12}) {
    Moments moments = moments_without_noise();
    moments.second *= scale;
    moments.weight *= scale;
    moments.target_squares *= -scale;
    moments.sum.setConstant(scale * kRecords);
    moments.sum_stddev = moments.cross_stddev = moments.second_stddev = kRecords;
    const ShrunkRegression fit = shrunk_regression(moments, kRecords, 1);
    EXPECT_TRUE(fit.slopes.allFinite()) << scale;
    EXPECT_TRUE(std::isfinite(fit.intercept)) << scale;
  }
}

}  // namespace
}  // namespace equinoise::shrunk_regression_test
