// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/group_records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/test_support.h"

namespace equinoise::group_records_test {

using Values = std::vector<double>;

Values random_values(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, 2);
  Values values(count);
  for (double& value : values) value = normal(random);
  return values;
}

/// One feature is as many features of which all but one are 0.
TEST(GroupRecords, OneFeatureIsAFastPathOfMany) {
  constexpr size_t kRecords = 1001;
  const std::vector<int64_t> sizes = {700, 301};
  const Values x = random_values(kRecords, 1);
  const Values y = random_values(kRecords, 2);
  Values padded;
  for (const double value : x) padded.insert(padded.end(), {0, value});
  const GroupRecords one = GroupRecords::disjoint(1, sizes, x, y);
  const GroupRecords two = GroupRecords::disjoint(2, sizes, padded, y);
  for (size_t group = 0; group < 2; ++group) {
    for (const double clip : {0.5, 2.0, std::numeric_limits<double>::infinity()}) {
      Values fast(1);
      Values general(2);
      one.gradient_sum(RegressionModel::kLinear, group, Values{0.7}, clip, fast);
      two.gradient_sum(RegressionModel::kLinear, group, Values{-3, 0.7}, clip, general);
      EXPECT_NEAR(fast[0], general[1], 1e-9);
      EXPECT_EQ(general[0], 0);
      EXPECT_NEAR(one.loss_sum(RegressionModel::kLinear, group, Values{0.7}, clip),
                  two.loss_sum(RegressionModel::kLinear, group, Values{-3, 0.7}, clip), 1e-9);
    }
  }
}

/// Gradients are the slopes of losses where neither is clipped.
TEST(GroupRecords, GradientsAreSlopesOfLosses) {
  const double infinity = std::numeric_limits<double>::infinity();
  Values y = random_values(60, 3);
  for (const RegressionModel model : {RegressionModel::kLinear, RegressionModel::kLogistic}) {
    for (double& value : y)
      if (model == RegressionModel::kLogistic) value = value < 0 ? -1 : 1;
    const GroupRecords records =
        GroupRecords::disjoint(3, std::vector<int64_t>{60}, random_values(180, 4), y);
    Values theta = {0.3, -1.1, 0.6};
    Values sum(3);
    records.gradient_sum(model, 0, theta, infinity, sum);
    for (size_t j = 0; j < 3; ++j) {
      const double at = theta[j];
      theta[j] = at + 1e-5;
      const double above = records.loss_sum(model, 0, theta, infinity);
      theta[j] = at - 1e-5;
      const double below = records.loss_sum(model, 0, theta, infinity);
      theta[j] = at;
      EXPECT_NEAR(sum[j], (above - below) / 2e-5, 1e-4);
    }
  }
}

/// Someone in two groups counts in both.
TEST(GroupRecords, GroupsMayOverlap) {
  const GroupRecords records(1, 2, {{1, {0}}, {2, {0, 1}}, {1, {}}}, {1, 2, 3, 100}, {0, 0, 0, 0});
  EXPECT_EQ(records.group_sizes()[0], 3);
  EXPECT_EQ(records.group_sizes()[1], 2);
  EXPECT_EQ(records.residual_sums(RegressionModel::kLinear, Values{1}, 50), (Values{14, 13}));
  EXPECT_EQ(records.xtx(), (Values{1 + 4 + 9 + 10000}));
}

/// The square of a probability less the class, (0.8 - 1)^2 and so on.
TEST(GroupRecords, LogisticResidualsAreBriersScore) {
  const double x = std::log(4.0);  // a probability of 0.8 of class 1
  const GroupRecords records(1, 2, {{1, {0}}, {2, {1}}}, {x, x, -x}, {1, -1, -1});
  const Values sums = records.residual_sums(RegressionModel::kLogistic, Values{1}, 1);
  EXPECT_NEAR(sums[0], 0.04, 1e-15);
  EXPECT_NEAR(sums[1], 0.64 + 0.04, 1e-15);
  EXPECT_NEAR(records.residual_sums(RegressionModel::kLogistic, Values{1}, 0.5)[1], 0.25 + 0.04,
              1e-15);
}

TEST(GroupRecords, ClipsRowsByTheirNormAndTargetsByTheirSize) {
  GroupRecords records =
      GroupRecords::disjoint(2, std::vector<int64_t>{2}, {3, 4, 0.3, 0.4}, {-7, 1});
  records.clip(1, 2);
  EXPECT_NEAR(records.features()[0], 0.6, 1e-15);
  EXPECT_NEAR(records.features()[1], 0.8, 1e-15);
  EXPECT_EQ(records.features()[2], 0.3);
  EXPECT_EQ(records.targets()[0], -2);
  EXPECT_EQ(records.targets()[1], 1);
}

TEST(GroupRecords, LogisticLossesDoNotOverflow) {
  const GroupRecords records =
      GroupRecords::disjoint(1, std::vector<int64_t>{2}, {1000, -1000}, {-1, -1});
  EXPECT_NEAR(records.loss_sum(RegressionModel::kLogistic, 0, Values{5}, 1e9), 5000, 1e-9);
  Values sum(1);
  records.gradient_sum(RegressionModel::kLogistic, 0, Values{5}, 1e9, sum);
  EXPECT_NEAR(sum[0], 1000, 1e-9);
}

TEST(GroupRecords, RefusesShapesThatDoNotFit) {
  const std::vector<int64_t> sizes = {1, 1};
  error_of(ErrorKind::kUsage, [&] { GroupRecords::disjoint(1, sizes, {1}, {1, 2}); });
  error_of(ErrorKind::kUsage, [&] { GroupRecords::disjoint(0, sizes, {}, {1, 2}); });
  error_of(ErrorKind::kUsage, [&] {
    GroupRecords::disjoint(1, std::vector<int64_t>{2, 0}, {1, 2}, {1, 2});
  });
  error_of(ErrorKind::kUsage, [&] { GroupRecords(1, 1, {{1, {1}}}, {1}, {1}); });
}

}  // namespace equinoise::group_records_test
