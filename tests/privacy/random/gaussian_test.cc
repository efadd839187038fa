// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "equinoise/base/error.h"

namespace equinoise::gaussian_test {

class RoundedGaussian : public ::testing::TestWithParam<double> {};

/// The fast path and the wide reference see the same words; where double precision is not sure both
/// go the slow way.
TEST_P(RoundedGaussian, EqualsTheWideReferenceOnTheSameWords) {
  std::vector<int64_t> fast(1'000'000, 0);
  std::vector<int64_t> wide(fast.size(), 0);
  SeededSource fast_source(11);
  SeededSource wide_source(11);
  add_rounded_gaussian(GetParam(), fast, fast_source);
  add_rounded_gaussian_wide(GetParam(), wide, wide_source);
  EXPECT_EQ(fast, wide);
}

INSTANTIATE_TEST_SUITE_P(Scales, RoundedGaussian,
                         ::testing::Values(0.3, 1.0, 1000.0, 0x1p30 * 1.7, kMaxGaussianStddev));

TEST(RoundedGaussianNoise, IsAddedToWhatIsThere) {
  std::vector<int64_t> zero(50, 0);
  std::vector<int64_t> shifted(50, 1'000'000);
  SeededSource a(3);
  SeededSource b(3);
  add_rounded_gaussian(100, zero, a);
  add_rounded_gaussian(100, shifted, b);
  for (size_t i = 0; i < zero.size(); ++i) EXPECT_EQ(shifted[i] - zero[i], 1'000'000);
}

TEST(RoundedGaussianNoise, RefusesAStddevThatIsNotInRange) {
  std::vector<int64_t> units(1, 0);
  SeededSource source(1);
  for (double stddev :
       {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity(), kMaxGaussianStddev * 2}) {
    EXPECT_THROW(add_rounded_gaussian(stddev, units, source), Error) << stddev;
  }
}

TEST(RoundedGaussian, SumsBeyond64BitsStayAtTheEnd) {
  SeededSource source(3);
  std::vector<int64_t> units(64, std::numeric_limits<int64_t>::max());
  add_rounded_gaussian(1e6, units, source);
  for (int64_t unit : units) EXPECT_GT(unit, 0);
}

}  // namespace equinoise::gaussian_test
