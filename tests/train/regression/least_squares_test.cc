// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/least_squares.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "tests/small_tables.h"

namespace equinoise::min_squares_test {

constexpr MomentBounds kWide = {100, 100, 0.25};

/// Three numbers, in columns of other units, and two categories.
EncodedTable number_table(int64_t num_records, uint64_t seed) {
  EncodedTable table = testing::mixed_table(num_records, seed);
  table.scales = {{10, 5, 0.5, 0.5}, {0, 1, 0.5, 0.5}, {-2, 4, 0.5, 0.5}};
  table.target_offset = 3;
  table.target_divisor = 2;
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < num_records; ++i) {
    const std::span<const float> x = table.dense_row(i);
    const double of_category = table.active_row(i)[0] == 5 ? 0.4 : 0;
    table.targets.push_back(
        static_cast<float>(0.3 + 0.7 * x[0] - 0.2 * x[2] + of_category + 0.3 * normal(generator)));
  }
  table.labels.clear();
  table.classes.clear();
  return table;
}

Moments moments_of(const EncodedTable& table) {
  const MomentSums sums(kWide, kWithSlopes, 0x1p-44);
  return sums.read(sums.sum_up(table), table.num_features, 0);
}

/// The most frequent category of each block.
std::set<uint32_t> references(const EncodedTable& table) {
  std::map<uint32_t, int> counts;
  for (const uint32_t place : table.active) ++counts[place];
  std::set<uint32_t> found;
  for (const auto& [begin, end] : {std::pair{3U, 7U}, std::pair{7U, 10U}}) {
    uint32_t largest = begin;
    for (uint32_t j = begin; j < end; ++j)
      if (counts[j] > counts[largest]) largest = j;
    found.insert(largest);
  }
  return found;
}

/// Records as an analyst codes them: columns in their units, a constant, and categories but the
/// most frequent ones.
Eigen::MatrixXd design_of(const EncodedTable& table) {
  const std::set<uint32_t> left_out = references(table);
  std::map<uint32_t, Eigen::Index> columns;
  for (uint32_t j = 3; j < 10; ++j)
    if (left_out.count(j) == 0) columns.emplace(j, 3 + static_cast<Eigen::Index>(columns.size()));
  Eigen::MatrixXd design = Eigen::MatrixXd::Zero(table.num_records, 9);
  for (int64_t i = 0; i < table.num_records; ++i) {
    for (size_t j = 0; j < 3; ++j)
      design(i, static_cast<Eigen::Index>(j)) =
          table.scales[j].offset +
          table.scales[j].divisor * static_cast<double>(table.dense_row(i)[j]);
    for (const uint32_t place : table.active_row(i))
      if (columns.count(place) > 0) design(i, columns.at(place)) = 1;
    design(i, 8) = 1;
  }
  return design;
}

TEST(LeastSquares, WithoutNoiseIsWhatTextbooksSay) {
  const EncodedTable table = number_table(400, 1);
  const Eigen::MatrixXd design = design_of(table);
  Eigen::VectorXd targets(table.num_records);
  for (int64_t i = 0; i < table.num_records; ++i)
    targets(i) = 3 + 2 * static_cast<double>(table.targets[static_cast<size_t>(i)]);
  const Eigen::VectorXd expected = design.colPivHouseholderQr().solve(targets);
  const double residual = (targets - design * expected).squaredNorm() / (400 - 9);
  const Eigen::MatrixXd covariance = residual * (design.transpose() * design).inverse();
  const Coefficients found = coefficients_of({{moments_of(table)}}, kWide, table);
  ASSERT_EQ(found.rows.size(), 9);
  for (Eigen::Index j = 0; j < 9; ++j) {
    const Coefficient& row = found.rows[static_cast<size_t>(j)];
    ASSERT_TRUE(row.estimate) << row.name;
    EXPECT_NEAR(row.estimate->value, expected(j), 1e-6) << row.name;
    EXPECT_NEAR(*row.estimate->standard_error, std::sqrt(covariance(j, j)),
                1e-6 * std::sqrt(covariance(j, j)))
        << row.name;
  }
  EXPECT_EQ(found.rows[0].name, "dense0");
  EXPECT_EQ(found.rows[8].name, "intercept");
  EXPECT_NEAR(found.fit.residual_stddev->value, std::sqrt(residual), 1e-6);
  const double variance = (targets.array() - targets.mean()).square().sum() / 399;
  EXPECT_NEAR(found.fit.r_squared->value, 1 - residual / variance, 1e-6);
}

/// Coefficients are those of everybody; residuals and what is told of variances are the group's.
TEST(LeastSquares, TellsHowItFitsEachGroup) {
  EncodedTable table = number_table(900, 3);
  for (size_t i = 0; i < 900; ++i) table.groups.push_back(GroupId(i % 3 == 0 ? 1 : 0));
  const MomentSums sums(kWide, kWithSlopes, 0x1p-44);
  const std::vector<int64_t> units = sums.sum_up_groups(table, 2);
  std::vector<Moments> parts;
  for (const size_t k : {0U, 1U})
    parts.push_back(sums.read(std::span(units).subspan(k * units.size() / 2, units.size() / 2),
                              table.num_features, 0));
  const Coefficients found = coefficients_of(parts, kWide, table);
  const Coefficients everybody = coefficients_of({{moments_of(table)}}, kWide, table);
  for (size_t j = 0; j < 9; ++j)
    EXPECT_NEAR(found.rows[j].estimate->value, everybody.rows[j].estimate->value, 1e-6);
  EXPECT_NEAR(found.fit.r_squared->value, everybody.fit.r_squared->value, 1e-9);
  EXPECT_TRUE(everybody.groups.empty());
  ASSERT_EQ(found.groups.size(), 2);
  const Eigen::MatrixXd design = design_of(table);
  Eigen::VectorXd coefficients(9);
  for (Eigen::Index j = 0; j < 9; ++j)
    coefficients(j) = found.rows[static_cast<size_t>(j)].estimate->value;
  for (const size_t k : {0U, 1U}) {
    double squares = 0;
    double sum = 0;
    double sum_of_squares = 0;
    double count = 0;
    for (int64_t i = 0; i < 900; ++i) {
      if (index_of(table.groups[static_cast<size_t>(i)]) != k) continue;
      const double target = 3 + 2 * static_cast<double>(table.targets[static_cast<size_t>(i)]);
      squares += std::pow(target - design.row(i) * coefficients, 2);
      sum += target;
      sum_of_squares += target * target;
      ++count;
    }
    // A fit to all takes its share of the degrees of freedom from each group.
    const double residual = squares / count * 900 / (900 - 9);
    EXPECT_NEAR(found.groups[k].residual_stddev->value, std::sqrt(residual), 1e-3);
    const double variance = (sum_of_squares - sum * sum / count) / (count - 1);
    EXPECT_NEAR(found.groups[k].r_squared->value, 1 - residual / variance, 2e-3);
    EXPECT_GT(found.groups[k].r_squared->high - found.groups[k].r_squared->low,
              found.fit.r_squared->high - found.fit.r_squared->low);
  }
}

TEST(LeastSquares, TellsNothingOfWhatCannotBeTold) {
  const EncodedTable few = number_table(6, 1);
  const Coefficients none = coefficients_of({{moments_of(few)}}, kWide, few);
  ASSERT_EQ(none.rows.size(), 9);
  for (const Coefficient& row : none.rows) EXPECT_FALSE(row.estimate) << row.name;
  EXPECT_FALSE(none.fit.residual_stddev);
  EXPECT_FALSE(none.fit.r_squared);
  // Much noise: what it is known to be, not what it did. What is left is the mean.
  const EncodedTable table = number_table(400, 1);
  Moments noisy = moments_of(table);
  noisy.second_stddev = noisy.sum_stddev = 100;
  const Coefficients mean = coefficients_of({{noisy}}, kWide, table);
  ASSERT_EQ(mean.rows.size(), 9);
  for (const Coefficient& row : mean.rows)
    EXPECT_EQ(row.estimate.has_value(), row.name == "intercept") << row.name;
  EXPECT_NEAR(mean.rows[0].estimate->value,
              3 + 2 * Eigen::Map<const Eigen::ArrayXf>(table.targets.data(), 400).mean(), 1e-3);
}

/// Of columns that say the same the later ones have no coefficient, and the others those of the
/// regression without them.
TEST(LeastSquares, LeavesOutWhatOtherColumnsSay) {
  EncodedTable collinear = number_table(400, 1);
  EncodedTable without = collinear;
  for (size_t i = 0; i < 400; ++i) {
    collinear.dense[3 * i + 2] = collinear.dense[3 * i] - 0.5F * collinear.dense[3 * i + 1];
    without.dense[3 * i + 2] = 0;
  }
  const Coefficients found = coefficients_of(std::vector{moments_of(collinear)}, kWide, collinear);
  const Coefficients expected = coefficients_of(std::vector{moments_of(without)}, kWide, without);
  ASSERT_EQ(found.rows.size(), expected.rows.size());
  EXPECT_EQ(found.rows.back().name, "dense2");
  EXPECT_FALSE(found.rows.back().estimate);
  for (size_t k = 0; k + 1 < found.rows.size(); ++k) {
    ASSERT_TRUE(found.rows[k].estimate) << found.rows[k].name;
    EXPECT_EQ(found.rows[k].name, expected.rows[k].name);
    EXPECT_NEAR(found.rows[k].estimate->value, expected.rows[k].estimate->value, 1e-5);
  }
}

TEST(LeastSquares, HoldsCategoriesAgainstTheMostFrequentAndLeavesOutHiddenOnes) {
  EncodedTable table = number_table(400, 1);
  for (size_t i = 0; i < 400; ++i) {
    uint32_t& first = table.active[2 * i];
    if (i % 3 != 0) first = 5;
    if (first == 6 && i > 30) first = 4;
  }
  Moments moments = moments_of(table);
  moments.second_stddev = moments.sum_stddev = 3 * std::sqrt(2);
  const Coefficients found = coefficients_of({{moments}}, kWide, table);
  ASSERT_EQ(found.rows.size(), 9);
  EXPECT_EQ(found.rows[3].name, "first=0 (against 2)");
  EXPECT_TRUE(found.rows[3].estimate);
  EXPECT_EQ(found.rows[8].name, "first=3 (against 2)");
  EXPECT_FALSE(found.rows[8].estimate);
  EXPECT_EQ(found.rows[7].name, "intercept");
  EXPECT_TRUE(found.fit.r_squared);
}

}  // namespace equinoise::min_squares_test
