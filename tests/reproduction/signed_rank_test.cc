// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/signed_rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/test_support.h"

namespace equinoise::signed_rank_tests {

TEST(SignedRank, SmallestChanceIsHalfToThePowerOfTheSize) {
  const SignedRank all = signed_rank_test(std::vector<double>{1, 2, 3, 4, 5});
  EXPECT_EQ(all.statistic, 15);
  EXPECT_EQ(all.p_value, 1.0 / 32);
  EXPECT_EQ(signed_rank_test(std::vector<double>{-1, 2, 3, 4, 5}).p_value, 2.0 / 32);
  EXPECT_EQ(signed_rank_test(std::vector<double>{-1, -2, -3, -4, -5}).p_value, 1);
}

// The example of scipy.stats.wilcoxon (Darwin's plants): statistic 24 of the negative ones, so 96;
// one-sided p = 0.020629...
TEST(SignedRank, AgreesWithAPublishedExample) {
  const std::vector<double> plants = {6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75};
  const SignedRank result = signed_rank_test(plants);
  EXPECT_EQ(result.statistic, 96);
  EXPECT_NEAR(result.p_value, 0.041259765625 / 2, 1e-15);
}

TEST(SignedRank, EqualsTheEnumerationOfAllSignsAlsoWithTies) {
  const std::vector<double> sample = {0.5, -1.5, 1.5, 2, 2, -2, 3, 0.25, -0.5, 7};
  const SignedRank result = signed_rank_test(sample);
  int reached = 0;
  for (int signs = 0; signs < 1024; ++signs) {
    std::vector<double> flipped;
    for (size_t i = 0; i < sample.size(); ++i)
      flipped.push_back(std::fabs(sample[i]) * ((signs >> i & 1) != 0 ? 1 : -1));
    reached += signed_rank_test(flipped).statistic >= result.statistic ? 1 : 0;
  }
  EXPECT_NEAR(result.p_value, reached / 1024.0, 1e-15);
}

TEST(SignedRank, DropsZeros) {
  const SignedRank result = signed_rank_test(std::vector<double>{0, 1, 0, 2});
  EXPECT_EQ(result.p_value, 0.25);
  EXPECT_EQ(signed_rank_test(std::vector<double>{0, 0}).p_value, 1);
}

TEST(SignedRank, RefusesWhatIsNoSample) {
  error_of(ErrorKind::kUsage, [] { signed_rank_test({}); });
  error_of(ErrorKind::kUsage, [] { signed_rank_test(std::vector<double>{1, NAN}); });
  error_of(ErrorKind::kUsage, [] { signed_rank_test(std::vector<double>(1001, 1.0)); });
}

TEST(SampleMean, HasTheStandardErrorOfTheMean) {
  const SampleMean result = sample_mean(std::vector<double>{1, 2, 3, 4});
  EXPECT_EQ(result.mean, 2.5);
  EXPECT_NEAR(result.standard_error, std::sqrt(5.0 / 3 / 4), 1e-15);
  EXPECT_TRUE(std::isnan(sample_mean(std::vector<double>{1}).standard_error));
  const SampleMean equal = sample_mean(std::vector<double>(1000, 22.6));
  EXPECT_EQ(equal.mean, 22.6);
  EXPECT_EQ(equal.standard_error, 0);
  error_of(ErrorKind::kUsage, [] { sample_mean({}); });
}

}  // namespace equinoise::signed_rank_tests
