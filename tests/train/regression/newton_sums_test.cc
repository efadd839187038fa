// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/newton_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/small_tables.h"
#include "tests/vector_maths.h"

namespace equinoise::newton_sums_test {

Eigen::VectorXd some_parameters(std::mt19937_64& generator, double size) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd parameters(11);
  for (double& one : parameters) one = size * normal(generator);
  return parameters;
}

/// A record that becomes null changes the vector by what it added alone, whatever it holds and
/// wherever the parameters are.
TEST(NewtonSums, ARecordChangesTheVectorByNoMoreThanTheSensitivity) {
  std::mt19937_64 generator(4);
  std::normal_distribution<double> normal;
  double largest_in_middle = 0;
  double largest_far_out = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    EncodedTable table = testing::mixed_table(1, static_cast<uint64_t>(trial));
    const double size = std::pow(10.0, 2 * normal(generator));
    for (float& value : table.dense) value = static_cast<float>(size * normal(generator));
    // Of probabilities near 1 / 2 the second derivatives make up most of it; of those near 0 and 1
    // the gradient.
    const bool is_far_out = trial % 2 == 0;
    const NewtonSums sums(std::pow(10.0, normal(generator)), 0x1p-40);
    const std::vector<int64_t> units =
        sums.sum_up(table, some_parameters(generator, is_far_out ? 5 : 0.3 / (1 + size)));
    const double part = testing::norm(units) / sums.sensitivity();
    EXPECT_LE(part, 1);
    double& largest = is_far_out ? largest_far_out : largest_in_middle;
    largest = std::max(largest, part);
  }
  EXPECT_GT(largest_in_middle, 0.97) << "no record came near the bound, which then proves little";
  EXPECT_GT(largest_far_out, 0.96) << "the root of the share of gradients is 0.975";
}

/// As large as the share of the gradient and that of second derivatives make it, over all errors
/// that a record can have.
TEST(NewtonSums, SharesLeaveNoErrorAboveTheBound) {
  double largest = 0;
  for (int k = 0; k <= 1'000'000; ++k) {
    const double a = k * 1e-6;
    largest = std::max(largest, NewtonSums::kGradientShare * a * a +
                                    16 * NewtonSums::kSecondShare * std::pow(a * (1 - a), 2));
  }
  EXPECT_LT(largest, 1);
  EXPECT_GT(largest, 0.999);
}

TEST(NewtonSums, AreDerivativesOfTheLoss) {
  const EncodedTable table = testing::mixed_table(50, 2);
  std::mt19937_64 generator(5);
  const Eigen::VectorXd parameters = some_parameters(generator, 0.7);
  const double row_bound = 1.6;
  const NewtonSums sums(row_bound, 0x1p-45);
  const NoisyCurvature found = sums.read(sums.sum_up(table, parameters), table.num_features, 0);
  bool is_weighted = false;
  const auto loss_at = [&](const Eigen::VectorXd& at) {
    double loss = 0;
    for (int64_t i = 0; i < table.num_records; ++i) {
      Eigen::VectorXd u = Eigen::VectorXd::Zero(11);
      for (int j = 0; j < 3; ++j)
        u(j) = (static_cast<double>(table.dense_row(i)[static_cast<size_t>(j)]) - 0.5) / 0.5;
      for (const uint32_t place : table.active_row(i)) u(place) = 1;
      const double weight = std::min(1.0, row_bound * row_bound / u.squaredNorm());
      is_weighted = is_weighted || weight < 1;
      u(10) = 1;
      const double score = u.dot(at);
      loss += weight * (std::log1p(std::exp(score)) - score * table.labels[static_cast<size_t>(i)]);
    }
    return loss;
  };
  constexpr double kStep = 1e-3;
  for (Eigen::Index i = 0; i < 11; ++i) {
    const Eigen::VectorXd to_i = kStep * Eigen::VectorXd::Unit(11, i);
    EXPECT_NEAR(found.gradient(i),
                (loss_at(parameters + to_i) - loss_at(parameters - to_i)) / (2 * kStep), 1e-4);
    for (Eigen::Index j = 0; j < 11; ++j) {
      const Eigen::VectorXd to_j = kStep * Eigen::VectorXd::Unit(11, j);
      const double second =
          (loss_at(parameters + to_i + to_j) - loss_at(parameters + to_i - to_j) -
           loss_at(parameters - to_i + to_j) + loss_at(parameters - to_i - to_j)) /
          (4 * kStep * kStep);
      EXPECT_NEAR(found.second(i, j), second, 1e-4) << i << ' ' << j;
    }
  }
  EXPECT_TRUE(is_weighted);
}

TEST(NewtonSums, AreTheSameForAnyNumberOfThreads) {
  const EncodedTable table = testing::mixed_table(5000, 3);
  const NewtonSums sums(1.6, 0x1p-40);
  const Eigen::VectorXd parameters = Eigen::VectorXd::Constant(11, 0.1);
  EXPECT_EQ(sums.sum_up(table, parameters, 1), sums.sum_up(table, parameters, 3));
}

TEST(NewtonSums, NullRecordsAndThoseWithoutFiniteValuesAddNothing) {
  const NewtonSums sums(2, 0x1p-30);
  const EncodedTable table = testing::mixed_table(20, 5);
  EncodedTable one_null = table;
  one_null.contributes[7] = 0;
  EncodedTable no_feature = table;
  no_feature.dense[7 * 3 + 1] = std::numeric_limits<float>::quiet_NaN();
  const Eigen::VectorXd parameters = Eigen::VectorXd::Constant(11, 0.1);
  EXPECT_NE(sums.sum_up(one_null, parameters), sums.sum_up(table, parameters));
  EXPECT_EQ(sums.sum_up(no_feature, parameters), sums.sum_up(one_null, parameters));
}

}  // namespace equinoise::newton_sums_test
