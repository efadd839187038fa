// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/hopeless_candidates.h"

#include <gtest/gtest.h>

namespace equinoise::hopeless_candidates_test {

TEST(DropHopeless, DropsWhatNoRecordsCouldMakeTheBest) {
  const Domain domain({{"a", 2}, {"b", 1000}, {"c", 1000}});
  const std::vector<WeightedMarginal> candidates = {
      {{0}, 1}, {{1}, 1}, {{0, 1}, 2}, {{1, 2}, 2}, {{0, 1, 2}, 3}};
  // Noise alone is 80 for {a}, 40,000 for {b}: with 1000 records {a} is always better, and with few
  // of them a small epsilon can still choose {b}.
  const auto kept = [&](double most, double epsilon) {
    std::vector<AttributeSet> sets;
    for (const WeightedMarginal& candidate : drop_hopeless(domain, candidates, most, 50, epsilon))
      sets.push_back(candidate.attributes);
    return sets;
  };
  EXPECT_EQ(kept(2000, 1), (std::vector<AttributeSet>{{0}}));
  EXPECT_EQ(kept(1e5, 1), (std::vector<AttributeSet>{{0}, {1}, {0, 1}}));
  EXPECT_EQ(kept(2000, 0.001), (std::vector<AttributeSet>{{0}, {1}, {0, 1}}));
  EXPECT_EQ(kept(1e12, 1).size(), 5U);
}

}  // namespace equinoise::hopeless_candidates_test
