// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/number_law.h"

#include <gtest/gtest.h>

#include <cmath>

namespace equinoise::number_law_test {
namespace {

/// Nothing between 10 and 20.
const NumberLaw kLaw = {{0, 10, 20, 30}, {0, 0.5, 0.5, 1}};

TEST(NumberLaw, IsLinearBetweenKnots) {
  EXPECT_EQ(kLaw.share_below(-1), 0);
  EXPECT_EQ(kLaw.share_below(0), 0);
  EXPECT_DOUBLE_EQ(kLaw.share_below(5), 0.25);
  EXPECT_DOUBLE_EQ(kLaw.share_below(15), 0.5);
  EXPECT_DOUBLE_EQ(kLaw.share_below(25), 0.75);
  EXPECT_EQ(kLaw.share_below(30), 1);
  EXPECT_EQ(kLaw.share_below(31), 1);
}

TEST(NumberLaw, GivesTheNumberOfAShare) {
  for (const double share : {0.001, 0.25, 0.5, 0.75, 1.0})
    EXPECT_DOUBLE_EQ(kLaw.share_below(kLaw.number_at(share)), share);
  EXPECT_EQ(kLaw.number_at(0), 0);
  EXPECT_EQ(kLaw.number_at(0.5), std::nextafter(10, 0)) << "of several the smallest";
  // A stretch of a single number.
  const NumberLaw own{{0, 5e-324, 1}, {0, 0.5, 1}};
  for (const double share : {0.01, 0.3, 0.5}) EXPECT_EQ(own.number_at(share), 0) << share;
  EXPECT_EQ(kLaw.number_at(2), 30);
}

}  // namespace
}  // namespace equinoise::number_law_test
