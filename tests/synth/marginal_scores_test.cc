// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/marginal_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace equinoise::marginal_scores_test {

TEST(MarginalScores, DistanceChangesByAtMostARecord) {
  constexpr auto kRecord = static_cast<int64_t>(1 / MarginalScores::kRecordUnit);
  std::mt19937_64 random(4);
  int64_t largest = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<uint32_t> counts(1 + random() % 8);
    std::vector<double> expected(counts.size());
    for (size_t cell = 0; cell < counts.size(); ++cell) {
      counts[cell] = static_cast<uint32_t>(random() % 5);
      expected[cell] = trial % 10 == 0 ? 1e300 : static_cast<double>(random() % 100'000) / 7919.0;
    }
    std::vector<uint32_t> more = counts;
    ++more[random() % more.size()];
    const int64_t change =
        MarginalScores::distance(more, expected) - MarginalScores::distance(counts, expected);
    largest = std::max(largest, std::abs(change));
    ASSERT_LE(std::abs(change), kRecord) << trial;
  }
  EXPECT_EQ(largest, kRecord);
}

TEST(MarginalScores, DistanceIsTheSumOverCells) {
  EXPECT_EQ(
      MarginalScores::distance(std::vector<uint32_t>{5, 0, 2}, std::vector<double>{3, 0.5, 4}),
      static_cast<int64_t>(4.5 / MarginalScores::kRecordUnit));
  EXPECT_EQ(MarginalScores::distance({}, {}), 0);
}

}  // namespace equinoise::marginal_scores_test
