// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/code_urns.h"

#include <gtest/gtest.h>

#include <vector>

namespace equinoise::code_urns_test {

TEST(CodeUrns, RoundedOnesGiveEachCodeAsOftenAsItIsIn) {
  SeededSource source(1);
  for (const size_t num_codes : {1, 2, 3, 7, 64, 1000}) {
    CodeUrns urns(3, num_codes, RowDraw::kRound);
    std::vector<size_t> counts(num_codes);
    size_t total = 0;
    for (size_t code = 0; code < num_codes; ++code) total += counts[code] = code * 7 % 5;
    ++counts[0];
    urns.put(1, counts);
    std::vector<size_t> drawn(num_codes, 0);
    for (size_t i = 0; i < total + 1; ++i) ++drawn[urns.draw(1, source)];
    EXPECT_EQ(drawn, counts);
  }
}

TEST(CodeUrns, FillingRoundsSharesOfTheSize) {
  SeededSource source(1);
  CodeUrns urns(1, 3, RowDraw::kRound);
  const std::span<const size_t> counts = urns.fill(0, std::vector<double>{1, 0, 3}, 8, source);
  EXPECT_EQ(std::vector<size_t>(counts.begin(), counts.end()), (std::vector<size_t>{2, 0, 6}));
  for (int i = 0; i < 8; ++i) EXPECT_NE(urns.draw(0, source), 1U);
}

TEST(CodeUrns, IndependentDrawsNeverGiveWhatIsImpossible) {
  SeededSource source(9);
  CodeUrns urns(2, 5, RowDraw::kSample);
  urns.fill(0, std::vector<double>{0.0, 1e-12, 0.0, 1.0, 0.0}, 0, source);
  urns.fill(1, std::vector<double>(5, 0.0), 0, source);
  std::vector<int> seen(5, 0);
  for (int i = 0; i < 10'000; ++i) {
    const uint32_t code = urns.draw(0, source);
    ASSERT_TRUE(code == 1 || code == 3);
    ++seen[urns.draw(1, source)];
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

}  // namespace equinoise::code_urns_test
