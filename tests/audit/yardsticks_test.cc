// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/yardsticks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace equinoise::yardsticks_test {
namespace {

TEST(Yardsticks, BootstrapsDrawRecordsThatCount) {
  const std::vector<double> weights = {2, 0, 2, 2, 0, 2};
  const std::vector<double> drawn = bootstrap_weights(weights, 0);
  EXPECT_EQ(drawn[1] + drawn[4], 0);
  EXPECT_EQ(std::accumulate(drawn.begin(), drawn.end(), 0.0), 8);
  EXPECT_EQ(bootstrap_weights(weights, 0), drawn);
  const std::vector<double> many(1000, 1);
  EXPECT_NE(bootstrap_weights(many, 0), bootstrap_weights(many, 1));
  EXPECT_TRUE(bootstrap_places(0, 0).empty());
}

TEST(Yardsticks, HalvesShareTheRecordsThatCount) {
  std::vector<double> weights(101, 1.5);
  weights[7] = 0;
  const Halves halves = half_weights(weights);
  for (size_t record = 0; record < weights.size(); ++record) {
    EXPECT_EQ(halves.first[record] + halves.second[record], weights[record]);
    EXPECT_EQ(halves.first[record] * halves.second[record], 0);
  }
  EXPECT_EQ(std::count(halves.first.begin(), halves.first.end(), 1.5), 50);
  const std::vector<uint8_t> three = random_half(3);
  EXPECT_EQ(std::count(three.begin(), three.end(), 1), 1);
}

}  // namespace
}  // namespace equinoise::yardsticks_test
