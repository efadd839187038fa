// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace equinoise::exponential_test {
namespace {

TEST(VectorExp, IsWithinTwoUnitsOfTheExponential) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 200'000; ++i) {
    const double span = i % 2 == 0 ? 1.0 : 700.0;
    const double x = span * (2 * (static_cast<double>(random() >> 11) * 0x1p-53) - 1);
    const double want = std::exp(x);
    const double unit = std::nextafter(want, std::numeric_limits<double>::infinity()) - want;
    ASSERT_LE(std::abs(vector_exp(x) - want), 2 * unit) << x;
  }
}

TEST(VectorExp, KeepsZeroAndOne) {
  EXPECT_EQ(vector_exp(0.0), 1.0);
  EXPECT_EQ(vector_exp(-std::numeric_limits<double>::infinity()), 0.0);
  EXPECT_EQ(vector_exp(-1e308), 0.0);
  EXPECT_EQ(vector_exp(-709.0), 0.0);
  EXPECT_GT(vector_exp(-708.0), 0.0);
  EXPECT_TRUE(std::isfinite(vector_exp(709.0)));
}

}  // namespace
}  // namespace equinoise::exponential_test
