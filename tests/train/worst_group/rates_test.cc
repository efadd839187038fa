// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/test_support.h"

namespace equinoise::rates_test {
namespace {

TEST(WorstGroupRates, FollowTheTheorems) {
  const WorstGroupRates rates = worst_group_rates({10, 20'000, 25, 0.5});
  EXPECT_DOUBLE_EQ(rates.mgr, 10 * 5 / (20'000 * 0.5));
  EXPECT_DOUBLE_EQ(rates.phased_erm, std::sqrt(10.0 / 20'000) + rates.mgr);
  EXPECT_DOUBLE_EQ(rates.ags, std::sqrt(10.0 / 10'000) + rates.mgr);
  EXPECT_DOUBLE_EQ(rates.oco_exp3, std::sqrt(5.0 / 10'000) + std::sqrt(10.0 / (20'000 * 0.25)) +
                                       std::sqrt(10.0 / 20'000));
  error_of(ErrorKind::kUsage, [] { worst_group_rates({2, 0, 1, 1}); });
}

/// Each rate is the better one somewhere, and what is said of them ranks no method.
TEST(WorstGroupRates, RatesAreToldWithoutAVerdict) {
  const RateTerms few = {10, 1e6, 20, 1};
  EXPECT_LT(worst_group_rates(few).phased_erm, worst_group_rates(few).oco_exp3);
  const RateTerms many = {1e4, 1e6, 1e4, 1};
  EXPECT_GT(worst_group_rates(many).phased_erm, worst_group_rates(many).oco_exp3);
  for (const RateTerms& terms : {few, many}) {
    EXPECT_THAT(describe_rates(terms), ::testing::HasSubstr("they do not show which"));
    EXPECT_THAT(describe_rates(terms), ::testing::Not(::testing::HasSubstr("regime")));
  }
}

}  // namespace
}  // namespace equinoise::rates_test
