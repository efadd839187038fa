// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/round_sum.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/privacy/random/gaussian.h"

namespace equinoise::round_sum_test {

/// Of every number of records that a table may have, and all noise that a plan may have.
TEST(GridOfSum, SuitsSamplersAnd64Bits) {
  for (const double bound : {1e-3, 1.0, 7.5}) {
    for (const double multiplier : {0.01, 1.0, 1000.0}) {
      for (const int64_t num_records : {int64_t{1}, int64_t{40'000}, int64_t{4'294'967'294}}) {
        const double noise = multiplier * bound;
        const double grid = grid_of_sum(bound, noise, num_records);
        int exponent = 0;
        EXPECT_EQ(std::frexp(grid, &exponent), 0.5);
        EXPECT_LT(2 * static_cast<double>(num_records) * bound / grid, 0x1p61);
        EXPECT_LT(noise / grid, kMaxGaussianStddev / 2);
        // Lost in the noise, or in the sum.
        EXPECT_LE(grid,
                  std::max(noise * 0x1p-30, static_cast<double>(num_records) * bound * 0x1p-59));
      }
    }
  }
  EXPECT_EQ(grid_of_sum(1, 2, 1'000'000), 0x1p-29) << "noise alone decides for most tables";
  EXPECT_EQ(grid_of_sum(1, 0.01, int64_t{1} << 31), 0x1p-28);
}

TEST(RoundSum, RoundsEachEntryToTheNearest) {
  std::vector<int64_t> sum = {5, 6, 7, -5, -7};
  round_sum(1, 4, sum);
  EXPECT_EQ(sum, (std::vector<int64_t>{1, 2, 2, -1, -2}));
  round_sum(4, 1, sum);
  EXPECT_EQ(sum, (std::vector<int64_t>{4, 8, 8, -4, -8}));
}

}  // namespace equinoise::round_sum_test
