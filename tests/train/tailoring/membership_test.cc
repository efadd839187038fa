// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/membership.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/test_support.h"

namespace equinoise::membership_test {
namespace {

using Costs = std::vector<double>;

TEST(Membership, CostsAddUpOverGroupsThatSomebodyMayBeIn) {
  const Costs costs = {1, 2, 4};
  EXPECT_EQ(Membership::disjoint(3).worst_cost(costs), 4);
  EXPECT_EQ(Membership::any(3).worst_cost(costs), 7);
  EXPECT_EQ(Membership::patterns(3, {{0, 1}, {2}, {1, 0}}).worst_cost(costs), 4);
  EXPECT_EQ(Membership::patterns(3, {{0, 1}, {0, 2}}).worst_cost(costs), 5);
}

/// Two sexes and five races: two groups of seven.
TEST(Membership, KnowsHowManyGroupsThereMayBe) {
  EXPECT_EQ(Membership::disjoint(3).most_groups(), 1);
  EXPECT_EQ(Membership::any(3).most_groups(), 3);
  std::vector<std::vector<size_t>> patterns;
  for (size_t sex = 0; sex < 2; ++sex)
    for (size_t race = 2; race < 7; ++race) patterns.push_back({sex, race});
  EXPECT_EQ(Membership::patterns(7, patterns).most_groups(), 2);
}

TEST(Membership, RefusesWhatIsNoPattern) {
  error_of(ErrorKind::kUsage, [] { Membership::disjoint(0); });
  error_of(ErrorKind::kUsage, [] { Membership::patterns(2, {{0, 2}, {1}}); });
  error_of(ErrorKind::kUsage, [] { Membership::patterns(2, {{0}, {1, 1}}); });
  // What members of a group in no pattern pay would not be counted.
  error_of(ErrorKind::kUsage, [] { Membership::patterns(2, {{0}}); });
  error_of(ErrorKind::kUsage, [] { Membership::patterns(2, {}); });
  error_of(ErrorKind::kUsage, [] { static_cast<void>(Membership::any(2).worst_cost(Costs{1})); });
  error_of(ErrorKind::kUsage, [] {
    static_cast<void>(Membership::any(2).worst_cost(Costs{1, std::nan("")}));
  });
}

}  // namespace
}  // namespace equinoise::membership_test
