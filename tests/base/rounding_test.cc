// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/rounding.h"

#include <gtest/gtest.h>

namespace equinoise::rounding_test {
namespace {

TEST(Rounding, SumsAndProductsAreNeverBelowTheExactOnes) {
  // 1 + 2^-60 and (1 + 2^-52)^2 are not doubles; rounding to nearest would fall below them.
  EXPECT_GT(add_up(1, 0x1p-60), 1);
  EXPECT_GT(multiply_up(1 + 0x1p-52, 1 + 0x1p-52), 1 + 0x1p-51);
}

TEST(Rounding, NothingStaysNothing) {
  EXPECT_EQ(add_up(0, 0), 0);
  EXPECT_EQ(add_up(3, 0), 3);
  EXPECT_EQ(multiply_up(0, 7), 0);
}

TEST(Rounding, PowerOfTwoBelow) {
  EXPECT_EQ(power_of_two_below(1), 1);
  EXPECT_EQ(power_of_two_below(3.9), 2);
  EXPECT_EQ(power_of_two_below(0.3), 0.25);
}

}  // namespace
}  // namespace equinoise::rounding_test
