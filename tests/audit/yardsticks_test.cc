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

/// Six units of 0 to 3 records; one of them has none that counts.
TEST(Yardsticks, UnitsAreDrawnWhole) {
  const std::vector<uint32_t> units = {0, 3, 4, 4, 6, 8, 11};
  const std::vector<double> weights = {1, 1, 1, 2, 0, 0, 3, 0, 1, 1, 1};
  std::vector<uint8_t> counts;
  for (const double weight : weights) counts.push_back(weight > 0 ? 1 : 0);
  EXPECT_EQ(units_of_kept(units, counts), (std::vector<uint32_t>{0, 3, 4, 5, 8}));
  EXPECT_TRUE(units_of_kept({}, counts).empty());
  const auto times_of = [&](const std::vector<double>& drawn, size_t unit) {
    std::vector<double> times;
    for (size_t record = units[unit]; record < units[unit + 1]; ++record)
      if (weights[record] > 0) times.push_back(drawn[record] / weights[record]);
    return times;
  };
  for (int draw = 0; draw < kNumBootstraps; ++draw) {
    const std::vector<double> drawn = bootstrap_weights(weights, draw, units);
    double num_drawn = 0;
    for (size_t unit = 0; unit + 1 < units.size(); ++unit) {
      const std::vector<double> times = times_of(drawn, unit);
      if (times.empty()) continue;
      num_drawn += times.front();
      EXPECT_EQ(times, std::vector<double>(times.size(), times.front())) << draw << " " << unit;
    }
    EXPECT_EQ(num_drawn, 4) << draw;
  }
  const Halves halves = half_weights(weights, units);
  int num_first = 0;
  for (size_t unit = 0; unit + 1 < units.size(); ++unit) {
    const std::vector<double> times = times_of(halves.first, unit);
    if (times.empty()) continue;
    num_first += times.front() > 0 ? 1 : 0;
    EXPECT_EQ(times, std::vector<double>(times.size(), times.front())) << unit;
  }
  EXPECT_EQ(num_first, 2);
  for (size_t record = 0; record < weights.size(); ++record)
    EXPECT_EQ(halves.first[record] + halves.second[record], weights[record]);
}

}  // namespace
}  // namespace equinoise::yardsticks_test
