// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/seed_mean.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/test_support.h"

namespace equinoise::seed_mean_test {

TEST(SeedMean, IsStudentsInterval) {
  // t of 97.5 % with 2 degrees of freedom: 4.302653.
  const Estimate mean = mean_over_seeds(std::vector<double>{1, 2, 3});
  EXPECT_DOUBLE_EQ(mean.value, 2);
  EXPECT_NEAR(mean.interval.high, 2 + 4.302652729911275 / std::sqrt(3.0), 1e-9);
  EXPECT_NEAR(mean.interval.low, 2 - 4.302652729911275 / std::sqrt(3.0), 1e-9);
}

TEST(SeedMean, IsWiderAtAHigherConfidence) {
  const std::vector<double> values = {1, 2, 3};
  EXPECT_GT(mean_over_seeds(values, 0.999).interval.high, mean_over_seeds(values).interval.high);
  error_of(ErrorKind::kUsage, [&] { mean_over_seeds(values, 1); });
}

TEST(SeedMean, IsUndefinedWhereAnyRunIs) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isnan(mean_over_seeds(std::vector<double>{}).value));
  EXPECT_TRUE(std::isnan(mean_over_seeds(std::vector<double>{0.1, nan, 0.2}).value));
}

/// Not an interval of width 0, which would call chance certain.
TEST(SeedMean, HasNoIntervalOfValuesThatDoNotVary) {
  EXPECT_TRUE(std::isnan(mean_over_seeds(std::vector<double>{0.3}).interval.low));
  EXPECT_TRUE(std::isnan(mean_over_seeds(std::vector<double>{0.5, 0.5, 0.5}).interval.low));
  // Apart by rounding alone.
  const Estimate rounded = mean_over_seeds(std::vector<double>{0.3 - 0.1, 0.4 - 0.2, 0.2});
  EXPECT_DOUBLE_EQ(rounded.value, 0.2);
  EXPECT_TRUE(std::isnan(rounded.interval.low));
}

}  // namespace equinoise::seed_mean_test
