// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/compensated_sum.h"

#include <gtest/gtest.h>

namespace equinoise::compensated_sum_test {

TEST(CompensatedSum, TheSumOfManyLargeNumbersIsExactToItsLastPlace) {
  constexpr int kTerms = 1'000'000;
  CompensatedSum sum;
  double plain = 0;
  for (int i = 0; i < kTerms; ++i) {
    const double term = 1.7e9 + 0.015625 * (i % 64);
    sum.add(term);
    plain += term;
  }
  // Sixty-fourths: 15,625 times 0 to 63 of them.
  const double exact = 1.7e9 * kTerms + 15'625 * 0.015625 * (63 * 64 / 2);
  EXPECT_EQ(sum.value(), exact);
  EXPECT_NE(plain, exact) << "what the class is for";
}

TEST(CompensatedSum, SmallTermsAreKeptBetweenLargeOnes) {
  CompensatedSum sum;
  for (const double term : {1.0, 1e100, 1.0, -1e100}) sum.add(term);
  EXPECT_EQ(sum.value(), 2);
  EXPECT_EQ(CompensatedSum().value(), 0);
}

}  // namespace equinoise::compensated_sum_test
