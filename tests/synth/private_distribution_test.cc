// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/private_distribution.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "equinoise/base/rounding.h"
#include "tests/columns.h"
#include "tests/test_support.h"

namespace equinoise::private_distribution_test {

/// Cells of the whole numbers from 0.
ColumnCodes cells_of(size_t num_cells) {
  ColumnCodes cells;
  cells.name = "x";
  cells.whole = true;
  for (size_t i = 0; i <= num_cells; ++i) cells.edges.push_back(static_cast<double>(i));
  return cells;
}

NumberDistribution release(const ColumnCodes& cells, const std::vector<int64_t>& counts,
                           const DistributionPlan& plan, uint64_t seed, size_t num_groups = 1,
                           const std::vector<double>& point_masses = {}) {
  SeededSource source(seed);
  std::vector<Charge> charges;
  for (size_t g = 0; g < num_groups; ++g)
    charges.push_back(Charge::unpaid({plan.event()}, Relation::kZeroOut, source));
  NumberDistribution distribution = release_distribution(cells, point_masses, counts, plan, charges,
                                                         1, Relation::kZeroOut, source);
  for (const Charge& charge : charges) EXPECT_TRUE(charge.is_used_up(0));
  EXPECT_EQ(distribution.knots, cells.edges);
  EXPECT_EQ(distribution.below.size(), distribution.knots.size());
  EXPECT_TRUE(std::ranges::is_sorted(distribution.below));
  return distribution;
}

TEST(PrivateDistribution, ThePlanCostsWhatItMay) {
  for (const size_t num_cells : {2, 3, 74, 4096}) {
    const DistributionPlan plan = plan_distribution(num_cells, 0.01, "test");
    EXPECT_GE(size_t{1} << plan.num_levels, num_cells);
    EXPECT_LT(size_t{1} << (plan.num_levels - 1), num_cells);
    const double cost = plan.num_levels / (2 * plan.noise_stddev * plan.noise_stddev);
    EXPECT_LE(cost, 0.01);
    EXPECT_GT(cost, 0.01 * (1 - 1e-9));
  }
  EXPECT_ERROR(kUsage, HasSubstr("too small"), plan_distribution(4096, 1e-40, "test"));
}

/// Cells ascend within the bounds whatever these are; small numbers are told apart where bounds are
/// far too wide; nothing, the bounds and point_masses are cells of their own.
TEST(PrivateDistribution, CellsFollowFromTheSchema) {
  for (const bool whole : {false, true}) {
    for (const auto& [lower, upper] : std::vector<std::pair<double, double>>{{0, 1e9},
                                                                             {-5, 3},
                                                                             {17, 90},
                                                                             {-1e6, -2},
                                                                             {-1e300, 1e300},
                                                                             {0, 5e-324},
                                                                             {1e15, 1e15 + 2}}) {
      ColumnSchema column = testing::numeric_column("x", lower, upper, whole);
      if (whole && !(std::fabs(upper) < 1e16)) continue;
      if (whole && upper < 1) continue;
      if (lower == 0 && upper > 1) column.point_masses = {7};
      const std::vector<double> edges = distribution_cells(column);
      ASSERT_TRUE(std::ranges::is_sorted(edges, std::less_equal<>()));
      EXPECT_EQ(edges.front(), lower);
      EXPECT_EQ(edges.back(), whole ? upper + 1 : next_up(upper));
      EXPECT_LE(edges.size(), 4096);
      for (const double own : {lower, std::clamp(0.0, lower, upper), upper}) {
        EXPECT_THAT(edges, Contains(own));
        EXPECT_THAT(edges, Contains(whole ? own + 1 : next_up(own)));
      }
      if (!column.point_masses.empty()) {
        EXPECT_THAT(edges, Contains(whole ? 8 : next_up(7)));
      }
    }
  }
  const std::vector<double> wide = distribution_cells(testing::numeric_column("x", 0, 1e9, false));
  EXPECT_GT(std::ranges::count_if(wide, [](double edge) { return edge < 30'000; }), 50);
  EXPECT_EQ(distribution_cells(testing::numeric_column("x", 17, 90, true)).size(), 75);
}

TEST(PrivateDistribution, BinsGrowWithWhatIsShown) {
  EXPECT_EQ(distribution_bins(std::nullopt, 1), 16);
  EXPECT_EQ(distribution_bins(10, 1e-6), 8);
  EXPECT_EQ(distribution_bins(30'000, 0.02), 16);
  EXPECT_EQ(distribution_bins(100'000'000, 1), kMaxDistributionBins);
  EXPECT_EQ(distribution_bins(0, 0.02), 8);
}

TEST(PrivateDistribution, IsThatOfTheRecordsWhereNoiseIsSmall) {
  std::vector<int64_t> counts(100);
  for (size_t i = 0; i < 100; ++i) counts[i] = static_cast<int64_t>(i * i * i);
  const NumberDistribution distribution =
      release(cells_of(100), counts, plan_distribution(100, 1e3, "test"), 1);
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  double sum = 0;
  for (size_t i = 0; i < 100; ++i) {
    EXPECT_NEAR(distribution.below[i], sum / all, 1e-5) << i;
    sum += static_cast<double>(counts[i]);
  }
  EXPECT_EQ(distribution.below.back(), 1);
}

TEST(PrivateDistribution, PointMassesHaveNoPartInIt) {
  std::vector<int64_t> counts(100, 1000);
  counts[40] = 10'000'000;
  const NumberDistribution distribution =
      release(cells_of(100), counts, plan_distribution(100, 1e3, "test"), 1, 1, {40});
  EXPECT_EQ(distribution.below[40], distribution.below[41]);
  EXPECT_NEAR(distribution.below[40], 40.0 / 99, 1e-3);
}

/// A tail that noise hides gets little of it, and what it gets is spread: the mean of a column that
/// is far below its upper bound stays near where it is, whatever the number of cells. Means of 20
/// draws; noise that is taken as it is, the parts below 0 left out, gives above three times the
/// truth, as does a last part of few cells that is taken for as full as the others. Where noise
/// hides single halves, too, parts that are all alike likely would give 4 and 20 times the truth.
TEST(PrivateDistribution, EmptyTailsStayNearlyEmpty) {
  const struct {
    size_t num_cells;
    int64_t count;  // of each of the first 40
    double rho;
    double far;
  } cases[] = {{4096, 500, 1e-3, 4}, {2178, 250, 1.67e-5, 20}, {2178, 60, 1.67e-5, 30}};
  for (const auto& [num_cells, count, rho, far] : cases) {
    std::vector<int64_t> counts(num_cells);
    std::fill_n(counts.begin(), 40, count);
    const DistributionPlan plan = plan_distribution(num_cells, rho, "test");
    EXPECT_GT(plan.noise_stddev, 70);
    double sum = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const NumberDistribution distribution = release(cells_of(num_cells), counts, plan, seed);
      for (size_t i = 0; i < num_cells; ++i)
        sum += (distribution.below[i + 1] - distribution.below[i]) * (static_cast<double>(i) + 0.5);
    }
    EXPECT_NEAR(sum / 20, 20, far) << num_cells << " " << count;
  }
}

TEST(PrivateDistribution, BinsHoldEquallyManyRecords) {
  const DistributionPlan plan = plan_distribution(100, 1e3, "test");
  EXPECT_THAT(even_shares(release(cells_of(100), std::vector<int64_t>(100, 1000), plan, 1), 4),
              ElementsAre(0, 25, 50, 75, 100));
  // Nine in ten have a 0, the others are spread evenly from 50 on.
  std::vector<int64_t> counts(100, 0);
  counts[0] = 450'000;
  std::fill(counts.begin() + 50, counts.end(), 1000);
  EXPECT_THAT(even_shares(release(cells_of(100), counts, plan, 2, 3), 6),
              ElementsAre(0, 1, 60, 70, 80, 90, 100));
  // Half of all have a 40.
  counts.assign(100, 1000);
  counts[40] = 99'000;
  EXPECT_THAT(even_shares(release(cells_of(100), counts, plan, 2), 6),
              ElementsAre(0, 33, 40, 41, 61, 81, 100));
}

TEST(PrivateDistribution, BinsOfEqualWidthStayWhereTheyDo) {
  const std::vector<double> bins = {0, 25, 50, 75, 100};
  const auto distribution_of = [](double first, double second) {
    return NumberDistribution{{0, 25, 50, 100}, {0, first, first + second, 1}};
  };
  EXPECT_TRUE(spreads_evenly(distribution_of(0.25, 0.25), bins, 4));
  EXPECT_TRUE(spreads_evenly(distribution_of(0.1, 0.6), bins, 4));
  EXPECT_FALSE(spreads_evenly(distribution_of(0.1, 0.7), bins, 4));
  EXPECT_FALSE(spreads_evenly(distribution_of(0.9, 0.1), bins, 4));
}

TEST(PrivateDistribution, EdgesAscendWhateverTheNoiseIs) {
  for (const size_t num_cells : {5, 33, 100}) {
    for (const double rho : {1e-9, 1e-4, 1.0}) {
      for (uint64_t seed = 0; seed < 20; ++seed) {
        const size_t num_bins = 1 + seed % 5;
        const std::vector<double> edges =
            even_shares(release(cells_of(num_cells), std::vector<int64_t>(num_cells, 3),
                                plan_distribution(num_cells, rho, "test"), seed),
                        num_bins);
        ASSERT_EQ(edges.size(), num_bins + 1);
        EXPECT_EQ(edges.front(), 0);
        EXPECT_EQ(edges.back(), static_cast<double>(num_cells));
        EXPECT_TRUE(std::ranges::is_sorted(edges, std::less_equal<>())) << seed;
      }
    }
  }
  // All in the first cell: nothing is left for the others.
  NumberDistribution distribution{cells_of(8).edges, std::vector<double>(9, 1)};
  distribution.below[0] = 0;
  EXPECT_THAT(even_shares(distribution, 4), ElementsAre(0, 1, 3, 5, 8));
  std::ranges::fill(distribution.below, 0);
  EXPECT_THAT(even_shares(distribution, 4), ElementsAre(0, 2, 4, 6, 8));
}

}  // namespace equinoise::private_distribution_test
