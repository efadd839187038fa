// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/gram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/network/every_width.h"

namespace equinoise::gram_test {

using GramTest = EveryWidth;

double value_at(size_t i, size_t p) { return std::sin(7 * static_cast<double>(i * 100 + p)); }

TEST_P(GramTest, HoldsTheInnerProductsOfAllPairs) {
  Gram gram;
  // The same object for other sizes: nothing of the last ones is left.
  for (const size_t num_rows : {9, 1, 4, 23}) {
    for (const size_t width : {40, 1, 16, 3}) {
      gram.start(num_rows, width, *GetParam());
      for (size_t i = 0; i < num_rows; ++i)
        for (size_t p = 0; p < width; ++p) gram.row(i)[p] = value_at(i, p);
      gram.multiply();
      for (size_t i = 0; i < num_rows; ++i) {
        for (size_t j = 0; j <= i; ++j) {
          double expected = 0;
          for (size_t p = 0; p < width; ++p) expected += value_at(i, p) * value_at(j, p);
          EXPECT_NEAR(gram.at(i, j), expected, 1e-13) << num_rows << " " << width;
        }
      }
    }
  }
}

TEST_P(GramTest, TheNormOfASumFollowsFromThem) {
  Gram gram;
  gram.start(3, 2, *GetParam());
  for (size_t i = 0; i < 3; ++i)
    for (size_t p = 0; p < 2; ++p) gram.row(i)[p] = static_cast<double>(i + p);
  gram.multiply();
  // Of (1, i) (i, i + 1)^T: (0 + 1 + 2, 1 + 2 + 3) and (0 + 1 + 4, 0 + 2 + 6).
  EXPECT_EQ(
      squared_sum_norm([](size_t i, size_t j) { return static_cast<double>(1 + i * j); }, gram),
      9 + 36 + 25 + 64);
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, GramTest,
                         ::testing::Values(&kKernelsV3, &kKernelsV4, &kKernelsV4Vnni), width_name);

}  // namespace equinoise::gram_test
