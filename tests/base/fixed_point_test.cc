// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/fixed_point.h"

#include <gtest/gtest.h>

#include <vector>

namespace equinoise::fixed_point_test {

TEST(FixedPoint, SumsDependNeitherOnTheOrderNorOnHowOftenIsSaid) {
  const std::vector<double> numbers = {0.1, -0.7, 1e-9, 0.3};
  const FixedPoint fixed(0.7);
  Int128 together = 0;
  Int128 one_by_one = 0;
  double plain = 0;
  for (const double number : numbers) together += fixed.units(number, 1'000'003);
  for (int i = 0; i < 1'000'003; ++i) {
    for (const double number : numbers) {
      one_by_one += fixed.units(number);
      plain += number;
    }
  }
  EXPECT_TRUE(together == one_by_one);
  const auto exact = static_cast<double>(1'000'003 * (0.1L - 0.7L + 1e-9L + 0.3L));
  EXPECT_NEAR(fixed.value(together), exact, 1e-9);
  EXPECT_NE(fixed.value(together), plain) << "what the class is for";
}

TEST(FixedPoint, HoldsTheLargestNumberAsOftenAsThereAreRecords) {
  for (const double largest : {1.0, 1.999, 1e-200, 1e290}) {
    const FixedPoint fixed(largest);
    for (const int64_t times : {int64_t{1}, int64_t{4'294'967'294}}) {
      const double sum = fixed.value(fixed.units(-largest, times)) / static_cast<double>(times);
      EXPECT_NEAR(sum / largest, -1, 1e-15) << largest << " " << times;
    }
  }
  for (const double none : {0.0, 0x1p-1074}) EXPECT_EQ(FixedPoint(none).value(0), 0);
}

}  // namespace equinoise::fixed_point_test
