// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/small_tables.h"
#include "tests/vector_maths.h"

namespace equinoise::moments_test {

EncodedTable number_table(int64_t num_records, uint64_t seed) {
  EncodedTable table = testing::mixed_table(num_records, seed);
  for (int64_t i = 0; i < num_records; ++i)
    table.targets.push_back(table.dense_row(i)[0] - 0.5F * static_cast<float>(i % 3));
  table.labels.clear();
  table.classes.clear();
  return table;
}

/// A record that becomes null changes the vector by what it added alone, whatever it holds.
TEST(MomentSums, ARecordChangesTheVectorByNoMoreThanTheSensitivity) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  double largest = 0;
  for (int trial = 0; trial < 400; ++trial) {
    EncodedTable table = number_table(1, static_cast<uint64_t>(trial));
    const double size = std::pow(10.0, 4 * normal(generator));
    for (float& value : table.dense) value = static_cast<float>(size * normal(generator));
    table.targets[0] =
        static_cast<float>(std::pow(10.0, 3 * normal(generator)) * normal(generator));
    const MomentBounds bounds{std::pow(10.0, 2 * normal(generator)),
                              std::pow(10.0, normal(generator)), normal(generator)};
    for (const MomentShares& shares : {kWithSlopes, MomentShares{}}) {
      const MomentSums sums(bounds, shares, 0x1p-40);
      const double change = testing::norm(sums.sum_up(table));
      EXPECT_LE(change, sums.sensitivity());
      largest = std::max(largest, change / sums.sensitivity());
    }
  }
  EXPECT_GT(largest, 0.999) << "no record came near the bound, which then proves little";
}

TEST(MomentSums, AreWeightedSumsOfTheRecords) {
  const EncodedTable table = number_table(50, 2);
  const MomentBounds bounds{1.6, 0.4, 0.1};
  const MomentSums sums(bounds, kWithSlopes, 0x1p-45);
  const Moments found = sums.read(sums.sum_up(table), table.num_features, 0);
  Eigen::MatrixXd second = Eigen::MatrixXd::Zero(10, 10);
  Eigen::VectorXd cross = Eigen::VectorXd::Zero(10);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(10);
  double weight = 0;
  double target = 0;
  double squares = 0;
  bool is_weighted = false;
  for (int64_t i = 0; i < table.num_records; ++i) {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(10);
    for (int j = 0; j < 3; ++j)
      x(j) = (static_cast<double>(table.dense_row(i)[static_cast<size_t>(j)]) - 0.5) / 0.5;
    for (const uint32_t place : table.active_row(i)) x(place) = 1;
    const double w = std::min(1.0, bounds.row * bounds.row / x.squaredNorm());
    is_weighted = is_weighted || w < 1;
    const double y = std::clamp(static_cast<double>(table.targets[static_cast<size_t>(i)]) - 0.1,
                                -bounds.target, bounds.target);
    second += w * x * x.transpose();
    cross += w * x * y;
    sum += w * x;
    weight += w;
    target += w * y;
    squares += w * y * y;
  }
  EXPECT_TRUE(is_weighted);
  EXPECT_LT((found.second - second).norm(), 1e-9);
  EXPECT_LT((found.cross - cross).norm(), 1e-9);
  EXPECT_LT((found.sum - sum).norm(), 1e-9);
  EXPECT_NEAR(found.weight, weight, 1e-9);
  EXPECT_NEAR(found.target, target, 1e-9);
  EXPECT_NEAR(found.target_squares, squares, 1e-9);
}

TEST(MomentSums, ARecordIsInOneGroupOrInNone) {
  EncodedTable table = number_table(60, 4);
  for (uint32_t i = 0; i < 60; ++i) table.groups.push_back(GroupId(i % 4));
  const MomentSums sums({1.6, 0.4, 0.1}, kWithSlopes, 0x1p-40);
  const std::vector<int64_t> units = sums.sum_up_groups(table, 3);
  const size_t size = units.size() / 3;
  ASSERT_EQ(size, MomentSums::num_entries(table.num_features, kWithSlopes));
  EncodedTable known = table;
  for (size_t i = 3; i < 60; i += 4) known.contributes[i] = 0;
  const std::vector<int64_t> all = sums.sum_up(known);
  for (size_t e = 0; e < size; ++e)
    EXPECT_EQ(units[e] + units[size + e] + units[2 * size + e], all[e]);
  for (size_t record = 0; record < 60; ++record) {
    EncodedTable neighbour = table;
    neighbour.contributes[record] = 0;
    std::vector<int64_t> change = sums.sum_up_groups(neighbour, 3);
    size_t num_changed = 0;
    for (size_t e = 0; e < change.size(); ++e) {
      change[e] -= units[e];
      num_changed += change[e] != 0 && e / size != record % 4 ? 1 : 0;
    }
    EXPECT_EQ(num_changed, 0);
    EXPECT_LE(testing::norm(change), sums.sensitivity());
  }
}

TEST(Moments, ThatAreCombinedHaveTheNoiseOfAll) {
  const EncodedTable table = number_table(50, 2);
  const MomentSums sums({1.6, 0.4, 0.1}, kWithSlopes, 0x1p-45);
  const Moments one = sums.read(sums.sum_up(table), table.num_features, 5);
  const Moments all = combined(std::vector<Moments>{one, one}, std::vector<double>{3, 4});
  EXPECT_LT((all.second - 7 * one.second).norm(), 1e-9);
  EXPECT_LT((all.cross - 7 * one.cross).norm(), 1e-9);
  EXPECT_NEAR(all.weight, 7 * one.weight, 1e-9);
  EXPECT_NEAR(all.target_squares, 7 * one.target_squares, 1e-9);
  EXPECT_NEAR(all.second_stddev, 5 * one.second_stddev, 1e-9);
  EXPECT_NEAR(all.target_stddev, 5 * one.target_stddev, 1e-9);
}

TEST(MomentSums, NullRecordsAndThoseWithoutFiniteValuesAddNothing) {
  const MomentSums sums({2, 1, 0}, kWithSlopes, 0x1p-30);
  const EncodedTable table = number_table(20, 5);
  EncodedTable one_null = table;
  one_null.contributes[7] = 0;
  EncodedTable no_target = table;
  no_target.targets[7] = std::numeric_limits<float>::quiet_NaN();
  EncodedTable no_feature = table;
  no_feature.dense[7 * 3 + 1] = std::numeric_limits<float>::infinity();
  EXPECT_NE(sums.sum_up(one_null), sums.sum_up(table));
  EXPECT_EQ(sums.sum_up(no_target), sums.sum_up(one_null));
  EXPECT_EQ(sums.sum_up(no_feature), sums.sum_up(one_null));
}

}  // namespace equinoise::moments_test
