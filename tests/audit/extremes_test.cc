// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/extremes.h"

#include <gmock/gmock.h>

#include <cmath>
#include <utility>
#include <vector>

namespace equinoise::extremes_test {

using ::testing::Pair;

std::pair<size_t, size_t> of(const std::vector<Estimate>& groups) {
  const Extremes found = extremes_of(groups);
  return {found.lowest, found.highest};
}

const Estimate kNone;
const Estimate kWide = {1, {0.5, 1}};
const Estimate kNarrow = {1, {0.9, 1}};

TEST(Extremes, AreTheSmallestAndTheLargestValue) {
  EXPECT_THAT(of({{2, {1, 3}}, {5, {4, 6}}, {-1, {-9, 7}}}), Pair(2, 1));
  EXPECT_THAT(of({kNone, {3, {2, 4}}, {HUGE_VAL, {0, 1}}, {2, {1, 3}}}), Pair(3, 1));
}

TEST(Extremes, OfOneGroupBothAreItself) {
  EXPECT_THAT(of({kNone, kWide, kNone}), Pair(1, 1));
  EXPECT_THAT(of({}), Pair(0, 0));
  EXPECT_THAT(of({kNone, kNone}), Pair(0, 0));
}

TEST(Extremes, OfThoseThatTieAtAnEndTheLeastKnownIsTaken) {
  const Estimate low = {0, {0, 0.1}};
  const Estimate wide_low = {0, {0, 0.6}};
  EXPECT_THAT(of({kNarrow, low, kWide, wide_low}), Pair(3, 2));
  EXPECT_THAT(of({wide_low, kWide, low, kNarrow}), Pair(0, 1));
}

// The wide one may lie far below at 1 and far above at 0, wherever it stands.
TEST(Extremes, WhereAllTieTwoGroupsAreCompared) {
  EXPECT_THAT(of({kNarrow, kWide}), Pair(1, 0));
  EXPECT_THAT(of({kWide, kNarrow}), Pair(0, 1));
  EXPECT_THAT(of({kNarrow, kNone, {1, {0.7, 1}}, kWide}), Pair(3, 2));
  EXPECT_THAT(of({{0, {0, 0.1}}, {0, {0, 0.5}}}), Pair(0, 1));
  EXPECT_THAT(of({kWide, kWide, kWide}), Pair(0, 1));
  // Of nothing is less known than of what has no interval.
  EXPECT_THAT(of({kNarrow, kWide, {1, {std::nan(""), std::nan("")}}}), Pair(1, 2));
}

}  // namespace equinoise::extremes_test
