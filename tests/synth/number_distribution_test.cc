// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/number_distribution.h"

#include <gtest/gtest.h>

#include <cmath>

namespace equinoise::number_distribution_test {

/// Nothing between 10 and 20.
const NumberDistribution kDistribution = {{0, 10, 20, 30}, {0, 0.5, 0.5, 1}};

TEST(NumberDistribution, IsLinearBetweenKnots) {
  EXPECT_EQ(kDistribution.share_below(-1), 0);
  EXPECT_EQ(kDistribution.share_below(0), 0);
  EXPECT_DOUBLE_EQ(kDistribution.share_below(5), 0.25);
  EXPECT_DOUBLE_EQ(kDistribution.share_below(15), 0.5);
  EXPECT_DOUBLE_EQ(kDistribution.share_below(25), 0.75);
  EXPECT_EQ(kDistribution.share_below(30), 1);
  EXPECT_EQ(kDistribution.share_below(31), 1);
}

TEST(NumberDistribution, GivesTheNumberOfAShare) {
  for (const double share : {0.001, 0.25, 0.5, 0.75, 1.0})
    EXPECT_DOUBLE_EQ(kDistribution.share_below(kDistribution.number_at(share)), share);
  EXPECT_EQ(kDistribution.number_at(0), 0);
  EXPECT_EQ(kDistribution.number_at(0.5), std::nextafter(10, 0)) << "of several the smallest";
  // A stretch of a single number.
  const NumberDistribution own{{0, 5e-324, 1}, {0, 0.5, 1}};
  for (const double share : {0.01, 0.3, 0.5}) EXPECT_EQ(own.number_at(share), 0) << share;
  EXPECT_EQ(kDistribution.number_at(2), 30);
}

}  // namespace equinoise::number_distribution_test
