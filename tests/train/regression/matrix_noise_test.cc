// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/matrix_noise.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

namespace equinoise::matrix_noise_test {
namespace {

constexpr Eigen::Index kSize = 4;
constexpr int kDraws = 200'000;

/// A variance of its own for each entry and its mirror image.
Eigen::MatrixXd uneven_variances() {
  Eigen::MatrixXd variances(kSize, kSize);
  for (Eigen::Index i = 0; i < kSize; ++i)
    for (Eigen::Index j = 0; j < kSize; ++j)
      variances(i, j) = 0.5 + static_cast<double>(i * j) + static_cast<double>(i + j) / 2;
  return variances;
}

Eigen::MatrixXd noise_with(const Eigen::MatrixXd& variances, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  Eigen::MatrixXd noise(kSize, kSize);
  for (Eigen::Index i = 0; i < kSize; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      noise(i, j) = noise(j, i) = std::sqrt(variances(i, j)) * normal(generator);
  return noise;
}

Eigen::MatrixXd positive_matrix() {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Constant(kSize, kSize, 3);
  matrix.diagonal() << 8, 9, 10, 12;
  matrix(0, 2) = matrix(2, 0) = -2;
  return matrix;
}

/// Means over draws are within 5 standard errors, of which each has a chance of 6e-7 to be off.
TEST(MatrixNoise, DoesWhatIsSaidOfProductsAndInverses) {
  const Eigen::MatrixXd variances = uneven_variances();
  const Eigen::MatrixXd inverse = positive_matrix().inverse();
  const Eigen::VectorXd t{{1, -2, 0.5, 3}};
  const Eigen::VectorXd g{{-1, 0.5, 2, 1}};
  // v = root z has this covariance.
  const Eigen::MatrixXd root = Eigen::MatrixXd::Identity(kSize, kSize) + positive_matrix() / 10;
  const Eigen::MatrixXd covariance = root * root.transpose();
  Eigen::MatrixXd products = Eigen::MatrixXd::Zero(kSize, kSize);
  Eigen::MatrixXd of_products = products;
  Eigen::MatrixXd seconds = products;
  Eigen::MatrixXd of_seconds = products;
  double squares = 0;
  double of_squares = 0;
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Eigen::MatrixXd noise = noise_with(variances, generator);
    const Eigen::MatrixXd product = noise * t * (noise * t).transpose();
    products += product;
    of_products += product.cwiseAbs2();
    const Eigen::MatrixXd second = noise * inverse * noise;
    seconds += second;
    of_seconds += second.cwiseAbs2();
    Eigen::VectorXd z(kSize);
    for (double& value : z) value = normal(generator);
    const double square = std::pow(g.dot(noise * (root * z)), 2);
    squares += square;
    of_squares += square * square;
  }
  const auto expect_mean = [](double sum, double sum_of_squares, double expected, double largest) {
    const double mean = sum / kDraws;
    const double error = std::sqrt((sum_of_squares / kDraws - mean * mean) / kDraws);
    EXPECT_NEAR(mean, expected, 5 * error);
    EXPECT_LT(5 * error, 0.1 * largest) << "too few draws to tell";
  };
  const Eigen::MatrixXd of_product = covariance_of_product(variances, t);
  const Eigen::MatrixXd of_second = mean_of_second_order(variances, inverse);
  for (Eigen::Index i = 0; i < kSize; ++i) {
    for (Eigen::Index j = 0; j < kSize; ++j) {
      expect_mean(products(i, j), of_products(i, j), of_product(i, j), of_product.maxCoeff());
      expect_mean(seconds(i, j), of_seconds(i, j), of_second(i, j), of_second.maxCoeff());
    }
  }
  const double of_square = second_order_variance(variances, g, covariance);
  expect_mean(squares, of_squares, of_square, of_square);
}

TEST(MatrixNoise, MatricesThatNoiseMadeSingularHaveNoInverse) {
  const Eigen::MatrixXd matrix = positive_matrix();
  ASSERT_TRUE(inverse_of_moments(matrix));
  EXPECT_LT((*inverse_of_moments(matrix) * matrix - Eigen::MatrixXd::Identity(kSize, kSize)).norm(),
            1e-12);
  Eigen::MatrixXd singular = matrix;
  singular.row(1) = singular.row(0);
  singular.col(1) = singular.col(0);
  EXPECT_FALSE(inverse_of_moments(singular));
  Eigen::MatrixXd indefinite = matrix;
  indefinite(2, 2) = -1;
  EXPECT_FALSE(inverse_of_moments(indefinite));
}

TEST(MatrixNoise, NoErrorIsToldWhereSecondOrderIsTooLarge) {
  const Eigen::MatrixXd inverse = positive_matrix().inverse();
  const Eigen::MatrixXd covariance = inverse;
  const Eigen::VectorXd row{{1, 0, 0, 2}};
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(kSize);
  const double error = std::sqrt(row.dot(covariance * row));
  const Eigen::MatrixXd variances = 1e-3 * uneven_variances();
  EXPECT_EQ(told_standard_error(variances, inverse, covariance, none, row), error);
  EXPECT_TRUE(std::isnan(told_standard_error(1000 * variances, inverse, covariance, none, row)));
  // A bias of just below, and above, a quarter of the error.
  const Eigen::VectorXd g = inverse * row;
  const Eigen::VectorXd quarter = kMostOfSecondOrder * error * g / g.squaredNorm();
  EXPECT_EQ(told_standard_error(variances, inverse, covariance, 0.99 * quarter, row), error);
  EXPECT_TRUE(std::isnan(told_standard_error(variances, inverse, covariance, 1.01 * quarter, row)));
  EXPECT_TRUE(std::isnan(told_standard_error(variances, inverse, -covariance, none, row)));
}

}  // namespace
}  // namespace equinoise::matrix_noise_test
