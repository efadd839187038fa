// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/private_edges.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "tests/test_support.h"

namespace equinoise::private_edges_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Cells of the whole numbers from 0.
ColumnCodes cells_of(size_t num_cells) {
  ColumnCodes cells;
  cells.name = "x";
  cells.whole = true;
  for (size_t i = 0; i <= num_cells; ++i) cells.edges.push_back(static_cast<double>(i));
  return cells;
}

std::vector<double> release(const ColumnCodes& cells, const std::vector<int64_t>& counts,
                            size_t num_bins, const EdgePlan& plan, uint64_t seed,
                            size_t num_groups = 1) {
  SeededSource source(seed);
  std::vector<Charge> charges;
  for (size_t g = 0; g < num_groups; ++g)
    charges.push_back(Charge::unpaid({plan.event()}, Relation::kZeroOut, source));
  const auto next_permits = [&] {
    std::vector<Permit> permits;
    for (Charge& charge : charges) permits.push_back(charge.take(0));
    return permits;
  };
  std::vector<double> edges =
      release_edges(cells, counts, num_bins, plan, next_permits, Relation::kZeroOut, source);
  for (const Charge& charge : charges) EXPECT_TRUE(charge.is_used_up(0));
  return edges;
}

TEST(PrivateEdges, ThePlanCostsWhatItMay) {
  for (const size_t num_cells : {2, 3, 74, 4096}) {
    const EdgePlan plan = plan_edges(num_cells, 0.01, "test");
    EXPECT_GE(size_t{1} << plan.num_levels, num_cells);
    EXPECT_LT(size_t{1} << (plan.num_levels - 1), num_cells);
    const double cost = plan.num_levels / (2 * plan.noise_stddev * plan.noise_stddev);
    EXPECT_LE(cost, 0.01);
    EXPECT_GT(cost, 0.01 * (1 - 1e-9));
  }
  EXPECT_THAT(error_of(ErrorKind::kUsage, [] { plan_edges(4096, 1e-40, "test"); }),
              HasSubstr("too small"));
}

TEST(PrivateEdges, BinsHoldEquallyManyRecordsWhereNoiseIsSmall) {
  const EdgePlan plan = plan_edges(100, 1e3, "test");
  EXPECT_THAT(release(cells_of(100), std::vector<int64_t>(100, 1000), 4, plan, 1),
              ElementsAre(0, 25, 50, 75, 100));
  // Nine in ten have a 0, the others are spread evenly from 50 on.
  std::vector<int64_t> counts(100, 0);
  counts[0] = 450'000;
  std::fill(counts.begin() + 50, counts.end(), 1000);
  EXPECT_THAT(release(cells_of(100), counts, 6, plan, 2, 3),
              ElementsAre(0, 1, 60, 70, 80, 90, 100));
}

TEST(PrivateEdges, EdgesAscendWhateverTheNoiseIs) {
  for (const size_t num_cells : {5, 33, 100}) {
    for (const double rho : {1e-9, 1e-4, 1.0}) {
      for (uint64_t seed = 0; seed < 20; ++seed) {
        const size_t num_bins = 1 + seed % 5;
        const ColumnCodes cells = cells_of(num_cells);
        const std::vector<double> edges =
            release(cells, std::vector<int64_t>(num_cells, 3), num_bins,
                    plan_edges(num_cells, rho, "test"), seed);
        ASSERT_EQ(edges.size(), num_bins + 1);
        EXPECT_EQ(edges.front(), 0);
        EXPECT_EQ(edges.back(), static_cast<double>(num_cells));
        EXPECT_TRUE(std::is_sorted(edges.begin(), edges.end(), std::less_equal<>())) << seed;
      }
    }
  }
}

TEST(PrivateEdges, WhatIsTooFewToBeToldIsCutEvenly) {
  // 8 cells, all records in the first one: with at least 5 in a bin nothing is left for the others.
  const std::vector<std::vector<int64_t>> levels = {
      {21, 0}, {20, 1, 0, 0}, {20, 0, 1, 0, 0, 0, 0, 0}};
  EXPECT_THAT(edges_from_counts(cells_of(8), 4, levels, 5), ElementsAre(0, 1, 3, 5, 8));
}

}  // namespace
}  // namespace equinoise::private_edges_test
