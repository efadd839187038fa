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

/// The fit of the features that have coefficients, and its covariance.
struct Fit {
  Eigen::VectorXd values;
  Eigen::MatrixXd covariance;
};

Fit fit_of(const EncodedTable& table, const Coefficients& coefficients) {
  const Eigen::MatrixXd design = design_of(table, coefficients);
  Fit fit{Eigen::VectorXd::Zero(design.cols()), {}};
  for (int k = 0; k < 30; ++k) {
    const Eigen::ArrayXd p = 1 / (1 + (-(design * fit.values).array()).exp());
    Eigen::VectorXd gradient = Eigen::VectorXd::Zero(design.cols());
    for (int64_t i = 0; i < kRecords; ++i)
      gradient += (table.labels[static_cast<size_t>(i)] - p(i)) * design.row(i).transpose();
    fit.covariance = (design.transpose() * (p * (1 - p)).matrix().asDiagonal() * design).inverse();
    fit.values += fit.covariance * gradient;
  }
  return fit;
}

/// The last two steps, the first of which is at `at`.
struct LastSteps {
  Coding coding;
  Eigen::VectorXd at;
  NoisyCurvature noisy;
};

LastSteps last_steps(const EncodedTable& table, const Eigen::VectorXd& at, double second_stddev) {
  NoisyCurvature before = exact_at(table, at);
  before.second_stddev = second_stddev;
  const Coding coding = coding_of(before, table);
  const Eigen::VectorXd last =
      step_without_hidden(coding, before, at, static_cast<double>(kRecords));
  return {coding, last, exact_at(table, last)};
}

TEST(LogOdds, WithoutNoiseAreWhatTextbooksSay) {
  const EncodedTable table = table_in_units();
  LastSteps last = last_steps(table, near_the_fit(table), 0);
  const Coefficients found = log_odds_of(last.coding, last.noisy, last.at, table);
  ASSERT_EQ(found.rows.size(), 9);
  EXPECT_EQ(found.log_odds_of, "yes");
  const Fit fit = fit_of(table, found);
  for (Eigen::Index j = 0; j < 9; ++j) {
    const Coefficient& row = found.rows[static_cast<size_t>(j)];
    ASSERT_TRUE(row.estimate) << row.name;
    const double error = std::sqrt(fit.covariance(j, j));
    EXPECT_NEAR(row.estimate->value, fit.values(j), 0.02 * error) << row.name;
    EXPECT_NEAR(*row.estimate->standard_error, error, 0.02 * error) << row.name;
  }
  // Noise of the gradient adds to all of them.
  last.noisy.gradient_stddev = 10;
  const Coefficients wider = log_odds_of(last.coding, last.noisy, last.at, table);
  ASSERT_EQ(wider.rows.size(), 9);
  for (size_t j = 0; j < 9; ++j) {
    ASSERT_TRUE(wider.rows[j].estimate) << wider.rows[j].name;
    EXPECT_EQ(wider.rows[j].estimate->value, found.rows[j].estimate->value);
    EXPECT_GT(*wider.rows[j].estimate->standard_error, *found.rows[j].estimate->standard_error);
  }
}

/// Of a category that noise hides there is none, and the others are those of the table where its
/// people are in what the others are held against; of a copy of a number the first one has all of
/// the slope that a step gave to both.
TEST(LogOdds, LeaveOutWhatNoiseHides) {
  EncodedTable table = table_in_units();
  for (size_t i = 0; i < static_cast<size_t>(kRecords); ++i) {
    if (table.active[2 * i] == 6 && i > 200) table.active[2 * i] = 3;
    table.dense[3 * i + 2] = table.dense[3 * i];
  }
  const LastSteps last = last_steps(table, near_the_fit(table), 10);
  const Coefficients found = log_odds_of(last.coding, last.noisy, last.at, table);
  ASSERT_EQ(found.rows.size(), 9);
  EXPECT_TRUE(found.rows[7].name.starts_with("first=3 (against ")) << found.rows[7].name;
  EXPECT_EQ(found.rows[8].name, "dense2");
  EXPECT_EQ(found.rows[6].name, "intercept");
  Coefficients kept = found;
  kept.rows.resize(7);
  const Fit fit = fit_of(table, kept);
  for (size_t j = 0; j < 9; ++j) {
    ASSERT_EQ(found.rows[j].estimate.has_value(), j < 7) << found.rows[j].name;
    if (j >= 7) continue;
    EXPECT_NEAR(found.rows[j].estimate->value, fit.values(static_cast<Eigen::Index>(j)),
                0.1 * *found.rows[j].estimate->standard_error);
  }
}

TEST(LogOdds, TellNothingOfSingularDerivatives) {
  const EncodedTable table = table_in_units();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(11);
  for (const double factor : {-1.0, 0.0}) {
    NoisyCurvature noisy = exact_at(table, zero);
    noisy.second *= factor;
    for (const Coefficient& row : log_odds_of(coding_of(noisy, table), noisy, zero, table).rows)
      EXPECT_FALSE(row.estimate) << row.name;
  }
}

}  // namespace equinoise::log_odds_test
