// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/log_odds.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <map>
#include <string>

#include "equinoise/train/regression/newton_step.h"
#include "tests/small_tables.h"

namespace equinoise::log_odds_test {
namespace {

constexpr int64_t kRecords = 20'000;

NoisyCurvature exact_at(const EncodedTable& table, const Eigen::VectorXd& at) {
  const NewtonSums sums(10, 0x1p-40);
  return sums.read(sums.sum_up(table, at), table.num_features, 0);
}

EncodedTable table_in_units() {
  EncodedTable table = testing::mixed_table(kRecords, 1);
  table.scales = {{10, 5, 0.5, 0.5}, {0, 1, 0.5, 0.5}, {-2, 4, 0.5, 0.5}};
  return table;
}

Eigen::VectorXd near_the_fit(const EncodedTable& table) {
  Eigen::VectorXd at = Eigen::VectorXd::Zero(11);
  for (int k = 0; k < 8; ++k)
    at = newton_step(exact_at(table, at), at, static_cast<double>(kRecords)).parameters;
  return at;
}

/// The features that have coefficients, in their units, by their names; then a constant.
Eigen::MatrixXd design_of(const EncodedTable& table, const Coefficients& coefficients) {
  std::map<std::string, size_t> places;
  for (size_t j = 0; j < table.num_features; ++j) places.emplace(table.feature_names[j], j);
  const auto width = static_cast<Eigen::Index>(coefficients.rows.size());
  Eigen::MatrixXd design = Eigen::MatrixXd::Zero(table.num_records, width);
  for (Eigen::Index k = 0; k < width; ++k) {
    const std::string& name = coefficients.rows[static_cast<size_t>(k)].name;
    if (name == "intercept") {
      design.col(k).setOnes();
      continue;
    }
    const size_t place = places.at(name.substr(0, name.find(" (against")));
    for (int64_t i = 0; i < table.num_records; ++i) {
      if (place < 3)
        design(i, k) = table.scales[place].offset +
                       table.scales[place].divisor * static_cast<double>(table.dense_row(i)[place]);
      for (const uint32_t active : table.active_row(i))
        if (active == place) design(i, k) = 1;
    }
  }
  return design;
}

TEST(LogOdds, WithoutNoiseAreWhatTextbooksSay) {
  const EncodedTable table = table_in_units();
  const Eigen::VectorXd at = near_the_fit(table);
  const NoisyCurvature noisy = exact_at(table, at);
  const Coefficients found = log_odds_of(noisy, at, table);
  ASSERT_EQ(found.rows.size(), 9);
  EXPECT_EQ(found.log_odds_of, "yes");
  const Eigen::MatrixXd design = design_of(table, found);
  Eigen::VectorXd fit = Eigen::VectorXd::Zero(9);
  Eigen::MatrixXd covariance;
  for (int k = 0; k < 30; ++k) {
    const Eigen::ArrayXd p = 1 / (1 + (-(design * fit).array()).exp());
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(9);
    for (int64_t i = 0; i < kRecords; ++i)
      gradient += (table.labels[static_cast<size_t>(i)] - p(i)) * design.row(i).transpose();
    covariance = (design.transpose() * (p * (1 - p)).matrix().asDiagonal() * design).inverse();
    fit += covariance * gradient;
  }
  for (Eigen::Index j = 0; j < 9; ++j) {
    const Coefficient& row = found.rows[static_cast<size_t>(j)];
    ASSERT_TRUE(row.estimate) << row.name;
    const double error = std::sqrt(covariance(j, j));
    EXPECT_NEAR(row.estimate->value, fit(j), 0.02 * error) << row.name;
    EXPECT_NEAR(*row.estimate->standard_error, error, 0.02 * error) << row.name;
  }
  // Noise of the gradient adds to all of them.
  NoisyCurvature with_noise = noisy;
  with_noise.gradient_stddev = 10;
  const Coefficients wider = log_odds_of(with_noise, at, table);
  ASSERT_EQ(wider.rows.size(), 9);
  for (size_t j = 0; j < 9; ++j) {
    ASSERT_TRUE(wider.rows[j].estimate) << wider.rows[j].name;
    EXPECT_EQ(wider.rows[j].estimate->value, found.rows[j].estimate->value);
    EXPECT_GT(*wider.rows[j].estimate->standard_error, *found.rows[j].estimate->standard_error);
  }
}

/// Of a category that noise hides there is none, and the others are those of the table where its
/// people are in what the others are held against.
TEST(LogOdds, LeaveOutWhatNoiseHides) {
  EncodedTable table = table_in_units();
  for (size_t i = 0; i < static_cast<size_t>(kRecords); ++i)
    if (table.active[2 * i] == 6 && i > 200) table.active[2 * i] = 3;
  const Eigen::VectorXd at = near_the_fit(table);
  NoisyCurvature noisy = exact_at(table, at);
  noisy.second_stddev = 10;
  const Coefficients found = log_odds_of(noisy, at, table);
  ASSERT_EQ(found.rows.size(), 9);
  EXPECT_TRUE(found.rows.back().name.starts_with("first=3 (against ")) << found.rows.back().name;
  EXPECT_FALSE(found.rows.back().estimate);
  EXPECT_EQ(found.rows[7].name, "intercept");
  EXPECT_TRUE(found.rows[0].estimate);
}

TEST(LogOdds, TellNothingFarFromTheFitOrOfSingularDerivatives) {
  const EncodedTable table = table_in_units();
  const auto expect_nothing = [&](const NoisyCurvature& noisy, const Eigen::VectorXd& at) {
    for (const Coefficient& row : log_odds_of(noisy, at, table).rows)
      EXPECT_FALSE(row.estimate) << row.name;
  };
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(11);
  expect_nothing(exact_at(table, zero), zero);
  const Eigen::VectorXd at = near_the_fit(table);
  NoisyCurvature noisy = exact_at(table, at);
  noisy.second *= -1;
  expect_nothing(noisy, at);
  noisy.second.setZero();
  expect_nothing(noisy, at);
}

}  // namespace
}  // namespace equinoise::log_odds_test
