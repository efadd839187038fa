// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/decimals.h"

#include <gtest/gtest.h>

namespace equinoise::decimals_test {

TEST(Decimals, FirstDigitIsThatOfTheNumber) {
  EXPECT_EQ(first_digit(0.00123), -3);
  EXPECT_EQ(first_digit(0.5), -1);
  EXPECT_EQ(first_digit(9.99), 0);
  EXPECT_EQ(first_digit(1000), 3);
  EXPECT_EQ(first_digit(1e300), 300);
  // A spread that double precision has lost.
  EXPECT_EQ(first_digit(0), -308);
  EXPECT_EQ(first_digit(5e-324), -308);
}

TEST(Decimals, NumbersAreRoundedToShortOnes) {
  EXPECT_EQ(round_to(1234, 2), 1200);
  EXPECT_EQ(round_to(0.16, -1), 0.2);
  EXPECT_EQ(round_down(1299, 2), 1200);
  EXPECT_EQ(round_down(-1201, 2), -1300);
  EXPECT_EQ(round_up(1201, 2), 1300);
  EXPECT_EQ(round_up(1200, 2), 1200);
  EXPECT_EQ(round_down(0.3, -1), 0.3) << "whose quotient is below 3";
}

}  // namespace equinoise::decimals_test
