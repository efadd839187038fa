// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/shrunk_slopes.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>

namespace equinoise::shrunk_slopes_test {

TEST(ShrunkNumber, LosesWhatNoiseExplainsAndNoMore) {
  EXPECT_DOUBLE_EQ(shrunk_number(3, 1), 3 - 1.0 / 3);
  EXPECT_DOUBLE_EQ(shrunk_number(-3, 1), -3 + 1.0 / 3);
  EXPECT_EQ(shrunk_number(0.9, 1), 0);
  EXPECT_EQ(shrunk_number(0, 0), 0);
  EXPECT_EQ(shrunk_number(-2, 0), -2);
}

Eigen::MatrixXd symmetric_noise(Eigen::Index size, double stddev, std::mt19937_64& generator) {
  std::normal_distribution<double> normal(0, stddev);
  Eigen::MatrixXd noise(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      noise(i, j) = noise(j, i) = normal(generator) / (i == j ? 1 : std::sqrt(2));
  return noise;
}

/// Eigenvalues of 100 x 100 matrices with one direction in which there is something: it is found
/// within a tenth, and of all others nothing is left, but for one in 300 beyond their limit.
TEST(EigenvaluesWithoutNoise, AreWhatThereIs) {
  constexpr Eigen::Index kSize = 100;
  constexpr double kThere = 60;
  std::mt19937_64 generator(11);
  int num_left = 0;
  double sum_found = 0;
  double sum = 0;
  for (int draw = 0; draw < 10; ++draw) {
    Eigen::MatrixXd matrix = symmetric_noise(kSize, 1.5, generator);
    matrix(7, 7) += kThere;
    const Eigen::ArrayXd found =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues().array();
    const Eigen::ArrayXd left = eigenvalues_without_noise(
        found, Eigen::ArrayXd::Constant(kSize, largest_of_noise(kSize, 1.5)));
    sum_found += found(kSize - 1);
    sum += left(kSize - 1);
    num_left += static_cast<int>((left.head(kSize - 1) > 0).count());
    EXPECT_TRUE((left >= 0).all());
  }
  EXPECT_NEAR(sum / 10, kThere, 0.05 * kThere);
  EXPECT_GT(sum_found / 10, sum / 10 + 1.5) << "of which noise has made 1.9";
  EXPECT_LE(num_left, 3);
  // A direction of which the table says nothing stays one where there is no noise.
  const Eigen::ArrayXd exact{{-1e-14, 1e-14, 2}};
  EXPECT_EQ(eigenvalues_without_noise(exact, Eigen::ArrayXd::Zero(3))(1), 0);
  EXPECT_NEAR(eigenvalues_without_noise(exact, Eigen::ArrayXd::Zero(3))(2), 2, 1e-12);
}

constexpr double kScale = 0.5;

double likelihood(const Eigen::ArrayXd& right, const Eigen::ArrayXd& variances) {
  return -(variances.log() + right.square() / variances).sum() / 2;
}

/// No variance is likelier, but by the evidence that one needs at all, and slopes are the mean of
/// what is left of them.
TEST(ShrunkSlopes, AreThoseOfTheLikeliestVariance) {
  const Eigen::ArrayXd values{{4, 2, 1, 0}};
  const Eigen::ArrayXd noise{{1, 0.5, 2, 0.3}};
  const Eigen::ArrayXd of_values{{0.1, 2, 0.4, 1}};
  for (const double length : {0.2, 1.0, 3.0, 10.0}) {
    const Eigen::ArrayXd right = length * Eigen::ArrayXd{{1, -1, 0.5, 0.2}};
    const auto variances = [&](double variance) -> Eigen::ArrayXd {
      return variance * (values.square() + of_values) + noise;
    };
    for (const double evidence : {0.0, 1.0}) {
      const ShrunkSlopes found = shrunk_slopes(values, right, noise, of_values, kScale, evidence);
      const double best =
          likelihood(right, variances(found.variance)) + (found.variance > 0 ? 0 : evidence);
      EXPECT_GE(best + 1e-12, likelihood(right, noise) + evidence);
      for (double part = 1e-4; part <= 1e3; part *= 1.07)
        EXPECT_GE(best + 0.01, likelihood(right, variances(part * kScale)))
            << length << ' ' << part;
      const Eigen::ArrayXd expected = found.variance * values * right / variances(found.variance);
      EXPECT_LT((found.slopes - expected).abs().maxCoeff(), 1e-12);
    }
  }
}

TEST(ShrunkSlopes, NeedEvidence) {
  const Eigen::ArrayXd values = Eigen::ArrayXd::Constant(1, 10);
  const Eigen::ArrayXd noise = Eigen::ArrayXd::Constant(1, 1);
  const Eigen::ArrayXd none = Eigen::ArrayXd::Zero(1);
  // At 2 standard deviations of the noise a variance gains 1.5 - log 2 = .81.
  const Eigen::ArrayXd right = Eigen::ArrayXd::Constant(1, 2);
  EXPECT_GT(shrunk_slopes(values, right, noise, none, 1, 0.75).variance, 0);
  EXPECT_EQ(shrunk_slopes(values, right, noise, none, 1, 0.85).variance, 0);
  EXPECT_EQ(shrunk_slopes(values, right, noise, none, 1, 0.85).slopes(0), 0);
}

TEST(ShrunkSlopes, WithoutNoiseAreTheSolution) {
  const Eigen::ArrayXd values{{4, 2, 0}};
  const Eigen::ArrayXd none = Eigen::ArrayXd::Zero(3);
  const ShrunkSlopes found = shrunk_slopes(values, Eigen::ArrayXd{{2, -3, 1e-9}}, none, none, 1, 1);
  EXPECT_NEAR(found.slopes(0), 0.5, 1e-9);
  EXPECT_NEAR(found.slopes(1), -1.5, 1e-9);
  EXPECT_EQ(found.slopes(2), 0) << "nothing but rounding";
}

}  // namespace equinoise::shrunk_slopes_test
