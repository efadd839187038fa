// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tables/intervals.h"

#include <gtest/gtest.h>

#include <cmath>

namespace equinoise::intervals_test {

/// At both ends the difference is exactly z standard deviations.
TEST(QuotientInterval, EndsWhereNoiseIsJustLargeEnough) {
  const NoisyNumber above = {40, 9};
  const NoisyNumber below = {100, 16};
  const double covariance = 5;
  const std::optional<Interval> interval = quotient_interval(above, below, covariance, 1.96);
  ASSERT_TRUE(interval);
  EXPECT_LT(interval->low, 0.4);
  EXPECT_GT(interval->high, 0.4);
  for (const double r : {interval->low, interval->high}) {
    const double variance = 9 - 2 * r * covariance + r * r * 16;
    EXPECT_NEAR(std::fabs(40 - r * 100), 1.96 * std::sqrt(variance), 1e-9);
  }
}

/// Noise that is small next to the numbers keeps its digits.
TEST(QuotientInterval, HasItsWidthForLargeNumbers) {
  for (const double size : {1e6, 1e9, 4e9}) {
    const std::optional<Interval> interval =
        quotient_interval({0.3 * size, 9}, {size, 16}, 0, 1.96);
    ASSERT_TRUE(interval);
    const double width = 2 * 1.96 * std::sqrt(9 + 0.09 * 16) / size;
    EXPECT_NEAR(interval->high - interval->low, width, 1e-4 * width) << size;
  }
}

TEST(QuotientInterval, IsNothingWhereTheDivisorMayBeZero) {
  EXPECT_FALSE(quotient_interval({40, 9}, {7, 16}, 0, 1.96));
  EXPECT_TRUE(quotient_interval({40, 9}, {8, 16}, 0, 1.96));
  EXPECT_FALSE(quotient_interval({0, 0}, {0, 0}, 0, 1.96));
  EXPECT_FALSE(quotient_interval({40, 9}, {-100, 16}, 0, 1.96)) << "a number of records";
}

TEST(Difference, IsThatOfNormalNoiseForEqualSides) {
  const Spread apart = difference({10, {7, 13}}, {6, {2, 10}});
  EXPECT_DOUBLE_EQ(apart.estimate, 4);
  EXPECT_DOUBLE_EQ(apart.interval.low, -1);
  EXPECT_DOUBLE_EQ(apart.interval.high, 9);
}

TEST(FarthestDifference, IsBetweenTheFarthestEnds) {
  const Spread apart = farthest_difference({10, {7, 13}}, {6, {2, 10}});
  EXPECT_DOUBLE_EQ(apart.interval.low, -3);
  EXPECT_DOUBLE_EQ(apart.interval.high, 11);
}

TEST(Quotient, HasNoneUnlessBothAreAboveZero) {
  EXPECT_FALSE(quotient({1, {-0.5, 2}}, {5, {4, 6}}, difference));
  EXPECT_FALSE(quotient({5, {4, 6}}, {1, {0, 2}}, difference));
  const std::optional<Spread> ratio = quotient({8, {4, 16}}, {2, {2, 2}}, difference);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->estimate, 4, 1e-12);
  EXPECT_NEAR(ratio->interval.low, 2, 1e-12);
  EXPECT_NEAR(ratio->interval.high, 8, 1e-12);
}

TEST(PossibleRanks, CountOnlyIntervalsThatLieApart) {
  const std::vector<Interval> intervals = {{5, 6}, {1, 2}, {1.5, 5.5}};
  const std::vector<Ranks> ranks = possible_ranks(intervals);
  EXPECT_EQ(ranks[0].low, 2U);
  EXPECT_EQ(ranks[0].high, 3U);
  EXPECT_EQ(ranks[1].low, 1U);
  EXPECT_EQ(ranks[1].high, 2U);
  EXPECT_EQ(ranks[2].low, 1U);
  EXPECT_EQ(ranks[2].high, 3U);
}

}  // namespace equinoise::intervals_test
