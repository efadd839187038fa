// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/shrunk_regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace equinoise::shrunk_regression_test {

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

/// Noise of the second moments, and of what is taken off them for means, shrinks slopes by as much
/// as it adds to the right-hand sides: it makes none steeper.
TEST(ShrunkRegression, NoiseOfSecondMomentsShrinksSlopes) {
  constexpr int kDraws = 20'000;
  const ShrunkRegression exact = shrunk_regression(moments_without_noise(), kRecords, 10);
  // Features about 2 and -1, targets about 0.
  const Eigen::Vector2d mean(2, -1);
  std::mt19937_64 generator(9);
  std::normal_distribution<double> normal;
  for (const int part : {0, 1, 2}) {
    Moments moments = moments_without_noise();
    moments.sum = kRecords * mean;
    moments.second += kRecords * mean * mean.transpose();
    moments.target = 0;
    moments.target_squares = 4.5 * kRecords;
    if (part == 0) moments.second_stddev = 100;
    if (part == 1) moments.sum_stddev = 50;
    if (part == 2) moments.weight_stddev = 150;
    const ShrunkRegression fit = shrunk_regression(moments, 2 * kRecords, 10);
    EXPECT_LT(std::fabs(fit.slopes(1)), std::fabs(exact.slopes(1))) << part;
    EXPECT_LT(std::fabs(fit.slopes(0)), std::fabs(exact.slopes(0))) << part;
    // What noise of the moments about the mean, to first order, adds to them times slopes of
    // variance 1.
    Eigen::Array2d squares = Eigen::Array2d::Zero();
    for (int draw = 0; draw < kDraws; ++draw) {
      const Eigen::Vector2d of_sum{
          {moments.sum_stddev * normal(generator), moments.sum_stddev * normal(generator)}};
      const Eigen::Matrix2d noise =
          symmetric_noise(2, moments.second_stddev, generator) - of_sum * mean.transpose() -
          mean * of_sum.transpose() +
          moments.weight_stddev * normal(generator) * mean * mean.transpose();
      squares += (noise * Eigen::Vector2d(normal(generator), normal(generator))).array().square();
    }
    // Slopes tell how much is added to the squares of the eigenvalues.
    for (const Eigen::Index j : {0, 1}) {
      const double value = j == 0 ? 1000 : 250;
      const double of_noise = squares(j) / kDraws;
      const double right = j == 0 ? 2000 : -250;
      const double shrunk = right / (value + of_noise / value + 4.5 / fit.slope_variance);
      EXPECT_NEAR(fit.slopes(j), shrunk, 0.14 * std::fabs(shrunk)) << part << ' ' << j;
    }
  }
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

}  // namespace equinoise::shrunk_regression_test
