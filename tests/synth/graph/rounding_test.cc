// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/rounding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace equinoise::rounding_test {
namespace {

size_t sum_of(const std::vector<size_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), size_t{0});
}

TEST(RoundCounts, GivesWholePartsAndAtMostOneMore) {
  SeededSource source(5);
  const std::vector<double> weights = {0.0, 3.2, 0.05, 7.0, 1e-300, 0.75, 100.0};
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<size_t> counts;
  for (size_t total = 0; total < 3000; ++total) {
    round_counts(weights, total, source, counts);
    ASSERT_EQ(sum_of(counts), total);
    ASSERT_EQ(counts[0], 0U);
    for (size_t i = 0; i < weights.size(); ++i) {
      const double expected = weights[i] / sum * static_cast<double>(total);
      ASSERT_GE(static_cast<double>(counts[i]), std::floor(expected)) << total;
      ASSERT_LE(static_cast<double>(counts[i]), std::floor(expected) + 1) << total;
    }
  }
}

TEST(RoundCounts, TreatsNoWeightAsEqualWeights) {
  SeededSource source(5);
  std::vector<size_t> counts;
  round_counts(std::vector<double>(4, 0.0), 8, source, counts);
  EXPECT_EQ(counts, (std::vector<size_t>{2, 2, 2, 2}));
}

TEST(RoundCounts, SurvivesFractionsThatRoundingLeavesTooFewOf) {
  // Shares like 1/3 do not sum to whole numbers in doubles.
  SeededSource source(5);
  std::vector<size_t> counts;
  for (size_t codes = 1; codes < 60; ++codes) {
    for (size_t each = 1; each < 40; ++each) {
      round_counts(std::vector<double>(codes, 0.1), codes * each, source, counts);
      ASSERT_EQ(sum_of(counts), codes * each);
      for (size_t count : counts) {
        ASSERT_GE(count + 1, each);
        ASSERT_LE(count, each + 1);
      }
    }
  }
}

TEST(RoundCounts, TakesLargeTotals) {
  SeededSource source(5);
  std::vector<size_t> counts;
  round_counts(std::vector<double>{1e-200, 2e-200, 3e-200}, 6'000'000'001, source, counts);
  EXPECT_EQ(sum_of(counts), 6'000'000'001U);
  EXPECT_NEAR(static_cast<double>(counts[1]), 2e9, 2);
}

}  // namespace
}  // namespace equinoise::rounding_test
