// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/public_bins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "equinoise/base/rounding.h"
#include "tests/columns.h"
#include "tests/matchers.h"

namespace equinoise::public_bins_test {

/// By its definition: over all edges.
uint32_t slow_bin_of(const PublicBins& bins, double number) {
  const std::vector<double>& edges = bins.edges();
  const auto next = std::upper_bound(edges.begin() + 1, edges.end() - 1, number);
  return static_cast<uint32_t>(next - edges.begin() - 1);
}

TEST(PublicBins, ABinIsThatOfTheEdgesHoweverItIsFound) {
  std::mt19937_64 random(20261128);
  std::uniform_real_distribution<double> within(0, 1);
  for (const auto& [lower, upper] : std::vector<std::pair<double, double>>{
           {0, 1}, {17, 90}, {-1, 10}, {0.1, 0.3}, {-1e30, 3e30}, {1e6, 1e6 + 1}, {0, 1e-30}}) {
    for (const bool whole : {false, true}) {
      if (whole && (upper - lower < 1 || upper > 1e9)) continue;
      for (const int num_bins : {1, 2, 3, 7, 100, 1024, 4096, 65'536}) {
        ColumnSchema column = testing::numeric_column("x", lower, upper, whole);
        if (num_bins == 100 && !whole) {
          const double width = upper - lower;
          column.point_masses = {lower, lower + width / 3, upper};
          column.num_bins = 33;
          // Many edges next to each other, which lie in one of equal cells.
          for (int i = 1; i < 300; ++i) column.bin_edges.push_back(lower + width * 1e-4 * i);
        }
        const PublicBins bins(testing::schema_of({column}), column, num_bins);
        std::vector<double> tried = {lower,
                                     upper,
                                     -std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::infinity(),
                                     0.0,
                                     -0.0};
        for (const double edge : bins.edges())
          tried.insert(tried.end(), {edge, next_up(edge), next_down(edge)});
        for (int i = 0; i < 2000; ++i) tried.push_back(lower + (upper - lower) * within(random));
        for (const double number : tried)
          ASSERT_EQ(bins.bin_of(number), slow_bin_of(bins, number)) << number << " " << num_bins;
      }
    }
  }
}

TEST(PublicBins, WhatStandsForABinIsInItAndWithinTheRounding) {
  for (const bool whole : {false, true}) {
    for (const int num_bins : {1, 5, 64, 100}) {
      ColumnSchema column = testing::numeric_column("x", 0.5, 99.5, whole);
      if (!whole) column.point_masses = {0.5, 33};
      if (whole) column.point_masses = {1, 33};
      const PublicBins bins(testing::schema_of({column}), column, num_bins);
      for (uint32_t bin = 0; bin < bins.num_bins(); ++bin) {
        const double value = bins.value_of(bin);
        EXPECT_EQ(bins.bin_of(value), bin);
        EXPECT_EQ(whole ? std::floor(value) : value, value);
        EXPECT_GE(value, column.lower);
        EXPECT_LE(value, column.upper);
      }
      double most = 0;
      for (double number = 0.5; number <= 99.5; number += whole ? 0.5 : 0.03125) {
        const bool is_end = number == 0.5 || number == 99.5;  // what is beyond counts as that
        if (whole && number != std::floor(number) && !is_end) continue;
        most = std::max(most, std::fabs(number - bins.value_of(bins.bin_of(number))));
      }
      EXPECT_LE(most, bins.max_rounding());
      EXPECT_GE(most, 0.9 * bins.max_rounding());
      for (const double point_mass : column.point_masses)
        EXPECT_EQ(bins.value_of(bins.bin_of(point_mass)), point_mass);
    }
  }
  const ColumnSchema few = testing::numeric_column("x", 0, 50, true);
  EXPECT_EQ(PublicBins(testing::schema_of({few}), few, 100).max_rounding(), 0);
}

TEST(PublicBins, EdgesOfOtherUsesAreEdges) {
  ColumnSchema column = testing::numeric_column("x", 0, 8);
  column.bin_edges = {1};
  Schema schema = testing::schema_of({column});
  schema.group_attributes = {{"band", "x", {3}, {}, "rest", {}}};
  EXPECT_THAT(PublicBins(schema, column, 2).edges(),
              ElementsAre(0, 0x1p-37, 1, 3, 4, 8, next_up(8)));
}

TEST(PublicBins, ZeroAndTheBoundsAreKept) {
  for (const auto& [lower, upper] :
       std::vector<std::pair<double, double>>{{0, 8}, {-3.7, 9.1}, {-5, 0}, {2, 3}, {-1, 1e-20}}) {
    for (const bool whole : {false, true}) {
      const ColumnSchema column = testing::numeric_column("x", lower, upper, whole);
      if (whole && std::floor(upper) - std::ceil(lower) < 1) continue;
      const PublicBins bins(testing::schema_of({column}), column, 3);
      for (const double number : {lower, 0.0, upper}) {
        if (number < lower || number > upper || (whole && number != std::floor(number))) continue;
        EXPECT_EQ(bins.value_of(bins.bin_of(number)), number) << lower << " " << upper;
      }
      EXPECT_EQ(bins.bin_of(next_up(upper)), bins.num_bins() - 1);
    }
  }
  const ColumnSchema column = testing::numeric_column("x", 0, 1000);
  const PublicBins bins(testing::schema_of({column}), column, 4);
  EXPECT_EQ(bins.value_of(bins.bin_of(1e-300)), 0);
  EXPECT_GT(bins.value_of(bins.bin_of(1e-9)), 100);
}

TEST(PublicBins, BoundsOfFewDoublesHaveNoMoreBinsThanThese) {
  const ColumnSchema column = testing::numeric_column("x", 1, 1 + 0x1p-40);
  const PublicBins bins(testing::schema_of({column}), column, 65'536);
  EXPECT_EQ(bins.num_bins(), 4097U);
  EXPECT_LE(bins.max_rounding(), 0x1p-51);
  for (double number = 1; number <= column.upper; number = next_up(number))
    EXPECT_EQ(bins.bin_of(number), slow_bin_of(bins, number));
}

}  // namespace equinoise::public_bins_test
