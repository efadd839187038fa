// SPDX-License-Identifier: Apache-2.0
#include "equinoise/groups/group_outlook.h"

#include <gtest/gtest.h>

#include <cmath>

namespace equinoise::group_outlook_test {
namespace {

/// Two groups, the larger one 20 times as large, whose best slopes are -1 and 1.
OutlookFacts two_groups() {
  OutlookFacts facts;
  facts.num_records = 10'500;
  facts.shares = {20.0 / 21, 1.0 / 21};
  return facts;
}

TEST(GroupOutlook, ASharedModelIsNearTheGroupsThatCount) {
  // The population's best slope is -19/21: 2/21 from the majority's, 40/21 from the minority's.
  const auto alike = shared_outlook(two_groups(), std::vector<double>{1, 1}, 0);
  EXPECT_NEAR(alike[0].difference, 4.0 / 441, 1e-12);
  EXPECT_NEAR(alike[1].difference, 1600.0 / 441, 1e-12);
  const auto balanced = shared_outlook(two_groups(), weights_by_size(two_groups().shares, 1), 0);
  EXPECT_NEAR(balanced[0].difference, 1, 1e-12);
  EXPECT_NEAR(balanced[1].difference, 1, 1e-12);
}

TEST(GroupOutlook, NoiseAndChanceFollowWhatGroupsCount) {
  OutlookFacts facts = two_groups();
  facts.num_parameters = 7;
  facts.residual_variance = 3;
  const auto alike = shared_outlook(facts, std::vector<double>{1, 1}, 0.01);
  EXPECT_NEAR(alike[0].noise, 7e-4, 1e-15);
  EXPECT_NEAR(alike[1].noise, 7e-4, 1e-15);
  EXPECT_NEAR(alike[0].sampling, 7 * 3 / 10'500.0, 1e-15);
  // Weights that are all twice as large change the length of steps alone.
  const auto doubled = shared_outlook(facts, std::vector<double>{2, 2}, 0.02);
  EXPECT_NEAR(doubled[0].total(), alike[0].total(), 1e-15);
  const auto balanced = shared_outlook(facts, weights_by_size(facts.shares, 1), 0.01);
  EXPECT_NEAR(balanced[0].sampling, 7 * 3 * (0.25 / 10'000 + 0.25 / 500), 1e-12);
}

TEST(GroupOutlook, AModelOfItsOwnHasAllTheNoiseAndNoOtherGroup) {
  const auto apart = separate_outlook(two_groups(), 0.01);
  EXPECT_NEAR(apart[1].noise, 1e-4 * 441, 1e-12);
  EXPECT_NEAR(apart[1].sampling, 1 / 500.0, 1e-12);
  EXPECT_EQ(apart[1].difference, 0);
  EXPECT_LT(apart[0].total(), apart[1].total());
}

/// Sexes of 60 and 40 %, two cities of 70 and 30 %; who lives where has to do with the sex.
OutlookFacts overlapping_groups() {
  OutlookFacts facts;
  facts.num_records = 1000;
  facts.shares = {0.5, 0.1, 0.2, 0.2};
  facts.groups_of_cell = {{0, 2}, {0, 3}, {1, 2}, {1, 3}};
  return facts;
}

TEST(GroupOutlook, DeviationsOfGroupsThatOverlapAddUp) {
  const OutlookFacts facts = overlapping_groups();
  const std::vector<double> shares = {0.6, 0.4, 0.7, 0.3};
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(group_shares(facts)[k], shares[k], 1e-15);
  // Deviations of two groups are v and -v, of the cities w and -w, with v and w at right angles on
  // average. The model is at 0.2 v + 0.4 w; men at v + (5/6 - 1/6) w, women at -v, the first city
  // at w + (5/7 - 2/7) v, the second at -w + (1/3 - 2/3) v.
  const auto alike = shared_outlook(facts, std::vector<double>(4, 1.0), 0.01);
  const std::vector<double> expected = {
      0.8 * 0.8 + std::pow(0.4 - 4. / 6, 2), 1.2 * 1.2 + 0.4 * 0.4,
      0.6 * 0.6 + std::pow(0.2 - 3. / 7, 2), 1.4 * 1.4 + std::pow(0.2 + 1. / 3, 2)};
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(alike[k].difference, expected[k], 1e-12);
    EXPECT_NEAR(alike[k].noise, 1e-4, 1e-15);
    EXPECT_NEAR(alike[k].sampling, 1e-3, 1e-15);
  }
  // Men are at 5/6 and 1/6 in two cities, at w and -w.
  EXPECT_NEAR(variance_within_groups(facts)[0],
              5. / 6 * std::pow(2. / 6, 2) + 1. / 6 * std::pow(10. / 6, 2), 1e-12);
  EXPECT_EQ(variance_within_groups(two_groups()), (std::vector<double>{0, 0}));
}

/// A division that everybody is in one group of changes nothing.
TEST(GroupOutlook, OneDivisionIsThatOfDisjointGroups) {
  OutlookFacts cells = two_groups();
  cells.groups_of_cell = {{0, 2}, {1, 2}};
  const std::vector<double> weights = {1, 7};
  const auto disjoint = shared_outlook(two_groups(), weights, 0.01);
  const auto found = shared_outlook(cells, weights, 0.01);
  ASSERT_EQ(found.size(), 3U);
  for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(found[k].total(), disjoint[k].total(), 1e-12);
}

TEST(GroupOutlook, OneGroupHasNoOthers) {
  OutlookFacts facts;
  facts.shares = {1};
  EXPECT_EQ(shared_outlook(facts, std::vector<double>{1}, 0)[0].difference, 0);
}

TEST(GroupOutlook, WeightsGoFromRecordsToGroups) {
  const std::vector<double> shares = {0.8, 0.2};
  EXPECT_EQ(weights_by_size(shares, 0), (std::vector<double>{1, 1}));
  const std::vector<double> balanced = weights_by_size(shares, 1);
  EXPECT_NEAR(balanced[0], 0.625, 1e-15);
  EXPECT_NEAR(balanced[1], 2.5, 1e-15);
}

}  // namespace
}  // namespace equinoise::group_outlook_test
