// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/correlations.h"

#include <gtest/gtest.h>

#include <cmath>

namespace equinoise::correlations_test {

TEST(PairCorrelations, AreOfRecordsThatCountAndHaveBothNumbers) {
  const NumericColumn a{"a", {1, 2, 3, 4, 100}};
  const NumericColumn b{"b", {2, 4, 6, 8, -7}};
  const NumericColumn c{"c", {1, 0, 1, 5, 0}, {0, 0, 0, 1, 0}};
  const std::vector<uint32_t> counts = {1, 1, 1, 1, 0};
  const std::vector<GroupId> groups = {GroupId{0}, GroupId{0}, GroupId{0}, GroupId{1}, GroupId{1}};
  const auto all = pair_correlations({{&a, &b, &c}, counts, {}, groups}, 2, 2);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_NEAR(all[2].values[0], 1, 1e-12);
  EXPECT_NEAR(all[2].values[1], 0, 1e-12);  // 1, 2, 3 and 1, 0, 1
  EXPECT_NEAR(all[0].values[0], 1, 1e-12);
  EXPECT_TRUE(std::isnan(all[1].values[0]));  // one record
  EXPECT_EQ(all[2].num_records, (std::vector<int64_t>{4, 3, 3}));
  EXPECT_EQ(all[1].num_records, (std::vector<int64_t>{1, 0, 0}));
}

TEST(PairCorrelations, FollowWeightsAndAreUndefinedOfOneValue) {
  const NumericColumn a{"a", {1e9, 1e9 + 1, 1e9 + 2}};
  const NumericColumn b{"b", {0, 1, 0}};
  const NumericColumn c{"c", {5, 5, 5}};
  const std::vector<double> weights = {2, 1, 1};
  const std::vector<uint32_t> once = {1, 1, 1};
  const auto all = pair_correlations({{&a, &b, &c}, once, weights, {}}, 0, 1);
  // Of 0, 0, 1, 2 and 0, 0, 1, 0.
  EXPECT_NEAR(all[0].values[0], 0.0625 / std::sqrt(0.6875 * 0.1875), 1e-9);
  EXPECT_TRUE(std::isnan(all[0].values[1]));
}

TEST(PairCorrelations, AreThoseOfTheRecordsThatRowsStandFor) {
  const NumericColumn a{"a", {0.1, 0.7, 1.3, 1e6}};
  const NumericColumn b{"b", {3.3, 1.9, 2.2, -1e-6}};
  const std::vector<uint32_t> counts = {3, 1, 7, 2};
  const std::vector<double> weights = {0.3, 1.1, 1 / 3.0, 1.7};
  const std::vector<GroupId> groups = {GroupId{0}, GroupId{0}, GroupId{0}, GroupId{1}};
  NumericColumn all_a{"a", {}};
  NumericColumn all_b{"b", {}};
  std::vector<uint32_t> one_each;
  std::vector<double> all_weights;
  std::vector<GroupId> all_groups;
  for (size_t row = 0; row < 4; ++row) {
    for (uint32_t i = 0; i < counts[row]; ++i) {
      all_a.values.push_back(a.values[row]);
      all_b.values.push_back(b.values[row]);
      one_each.push_back(1);
      all_weights.push_back(weights[row]);
      all_groups.push_back(groups[row]);
    }
  }
  const auto counted = pair_correlations({{&a, &b}, counts, weights, groups}, 2, 1);
  const auto of_records =
      pair_correlations({{&all_a, &all_b}, one_each, all_weights, all_groups}, 2, 1);
  for (const size_t group : {0U, 2U})
    EXPECT_EQ(counted[group].values[0], of_records[group].values[0]) << group;
  EXPECT_EQ(counted[2].num_records[0], 13);
  // The group is not lost behind what is far larger elsewhere.
  EXPECT_NEAR(counted[0].values[0], -0.767, 0.2);
}

TEST(CorrelationError, IsOverPairsThatAreDefinedInBoth) {
  const double none = std::nan("");
  const std::vector<double> truth = {0.5, none, 0.2, 0.1};
  const std::vector<double> told = {0.4, 0.3, none, -0.4};
  const CorrelationError error = correlation_error(truth, told);
  EXPECT_EQ(error.num_pairs, 2U);
  EXPECT_EQ(error.num_undefined, 1U);
  EXPECT_NEAR(error.mean, 0.3, 1e-12);
  EXPECT_NEAR(error.largest, 0.5, 1e-12);
  EXPECT_EQ(error.worst_pair, 3U);
  EXPECT_TRUE(std::isnan(correlation_error({&none, 1}, {&none, 1}).mean));
}

}  // namespace equinoise::correlations_test
