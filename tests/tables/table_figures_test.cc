// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tables/table_figures.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/tables/made_up_table.h"

namespace equinoise::table_figures_test {

using testing::MadeUpTable;
using testing::make_up_table;
using testing::simulate;
using testing::TableSetting;

TEST(TableGroups, HaveAllMarginsOfTheirColumns) {
  const MadeUpTable table = make_up_table({}, 1);
  ASSERT_EQ(table.groups.size(), 1U + 2 + 2 + 4);
  EXPECT_TRUE(table.groups[0].label.empty());
  EXPECT_EQ(table.groups[0].strata.size(), 4U);
  EXPECT_EQ(table.groups[1].label, (GroupLabel{{"region", "north"}}));
  EXPECT_EQ(table.groups[1].strata, (std::vector<size_t>{0, 1}));
  EXPECT_EQ(table.groups[4].label, (GroupLabel{{"sex", "m"}}));
  EXPECT_EQ(table.groups[4].strata, (std::vector<size_t>{1, 3}));
  EXPECT_EQ(table.groups[8].strata, (std::vector<size_t>{3}));
}

/// With next to no noise every figure is that of the records, in all settings.
TEST(TableFigures, AreThoseOfTheRecordsWithoutNoise) {
  for (const bool private_sizes : {false, true}) {
    for (const bool has_gaps : {false, true}) {
      const MadeUpTable table =
          make_up_table({.private_sizes = private_sizes, .has_gaps = has_gaps, .rho = 1e6}, 3);
      TableFigures figures(table.plan);
      figures.fit(simulate(table.plan, table.records.view(), 5));
      for (const TableGroup& group : table.groups) {
        for (const TableStatistic& asked : table.statistics) {
          for (const FigureOfGroup& figure : figures.figures(asked, figures.sums_of(group))) {
            const std::optional<double> exact = table.exact(asked, group, figure.cell);
            ASSERT_TRUE(figure.estimate && exact);
            // A quantile is known to a cell; between two values in the middle any number is one.
            if (asked.statistic == Statistic::kQuantile) {
              TableStatistic next = asked;
              next.level += 1.0001 / *table.exact({}, group, 0);
              EXPECT_GE(*figure.estimate, *exact - 1000.0 / 256);
              EXPECT_LE(*figure.estimate, *table.exact(next, group, 0) + 1000.0 / 256);
              continue;
            }
            const double most = asked.statistic == Statistic::kTotal ? 10 : 0.1;
            EXPECT_NEAR(*figure.estimate, *exact, most)
                << static_cast<int>(asked.statistic) << " " << private_sizes << has_gaps;
            if (figure.interval) {
              EXPECT_LE(figure.interval->low, *exact);
              EXPECT_GE(figure.interval->high, *exact);
            } else {
              EXPECT_TRUE(asked.statistic == Statistic::kCount && !private_sizes);
            }
          }
        }
      }
    }
  }
}

double sum_of(const TableFigures& figures, const MadeUpTable& table, const TableStatistic& asked,
              const std::vector<size_t>& groups, size_t cell) {
  double sum = 0;
  for (const size_t g : groups)
    sum += *figures.figures(asked, figures.sums_of(table.groups[g]))[cell].estimate;
  return sum;
}

/// Sexes of a region add up to it, regions and sexes to all, cells of a histogram to the count.
TEST(TableFigures, MarginsAddUp) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const MadeUpTable table = make_up_table({.rho = 0.5, .sizes = {3000, 900, 700, 800}}, seed);
    TableFigures figures(table.plan);
    figures.fit(simulate(table.plan, table.records.view(), seed));
    for (const size_t s : {0, 2, 5}) {
      const TableStatistic& asked = table.statistics[s];
      const size_t num_cells = std::max<size_t>(asked.values.size(), 1);
      for (size_t cell = 0; cell < num_cells; ++cell) {
        if (asked.statistic == Statistic::kHistogram && cell > 3) break;  // others may be below 0
        const auto of = [&](std::vector<size_t> groups) {
          return sum_of(figures, table, asked, groups, cell);
        };
        EXPECT_NEAR(of({1, 2}), of({0}), 1e-6);
        EXPECT_NEAR(of({3, 4}), of({0}), 1e-6);
        EXPECT_NEAR(of({5, 6}), of({1}), 1e-6);
        EXPECT_NEAR(of({5, 7}), of({3}), 1e-6);
      }
    }
    double cells = 0;
    bool is_any_raised = false;
    for (const FigureOfGroup& figure :
         figures.figures(table.statistics[5], figures.sums_of(table.groups[5]))) {
      cells += *figure.estimate;
      is_any_raised = is_any_raised || *figure.estimate == 0;
      EXPECT_EQ(*figure.estimate, std::round(*figure.estimate));
      EXPECT_GE(*figure.estimate, 0);
    }
    const double count =
        *figures.figures(table.statistics[0], figures.sums_of(table.groups[5]))[0].estimate;
    if (is_any_raised) {
      EXPECT_GE(cells, count);
    } else {
      EXPECT_EQ(cells, count);
    }
  }
}

TEST(TableFigures, QuantilesAreInOrderAndMeansWithinBounds) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const MadeUpTable table = make_up_table({.has_gaps = seed % 2 == 0, .rho = 0.02}, seed);
    TableFigures figures(table.plan);
    figures.fit(simulate(table.plan, table.records.view(), seed));
    for (const TableGroup& group : table.groups) {
      double last = 0;
      for (const double level : {0.05, 0.25, 0.5, 0.75, 0.95}) {
        const FigureOfGroup figure =
            figures.figures({Statistic::kQuantile, "income", 0, level}, figures.sums_of(group))[0];
        if (!figure.estimate) continue;
        EXPECT_GE(*figure.estimate, last);
        last = *figure.estimate;
        EXPECT_LE(figure.interval->low, *figure.estimate);
        EXPECT_GE(figure.interval->high, *figure.estimate);
      }
      const FigureOfGroup mean = figures.figures(table.statistics[1], figures.sums_of(group))[0];
      ASSERT_TRUE(mean.interval);
      EXPECT_GE(mean.interval->low, 0);
      EXPECT_LE(mean.interval->high, 1000);
    }
  }
}

/// Nobody is left in a stratum that is declared, or has all its values taken away.
TEST(TableFigures, EmptyStrataHaveFiguresOfNoise) {
  const MadeUpTable table = make_up_table({.rho = 0.5, .sizes = {3000, 0, 300, 1}}, 2);
  TableFigures figures(table.plan);
  figures.fit(simulate(table.plan, table.records.view(), 2));
  for (const TableStatistic& asked : table.statistics) {
    for (const FigureOfGroup& figure : figures.figures(asked, figures.sums_of(table.groups[6]))) {
      ASSERT_TRUE(figure.interval);
      EXPECT_LE(figure.interval->low, figure.interval->high);
      if (asked.statistic == Statistic::kMean || asked.statistic == Statistic::kShare) {
        EXPECT_FALSE(figure.estimate) << "the divisor may be 0";
      }
    }
  }
}

/// Also of a figure that noise has put beyond its bounds, where nobody is in the cell.
TEST(TableFigures, NoIntervalIsASinglePoint) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    const MadeUpTable table = make_up_table({.has_gaps = seed % 2 == 0, .rho = 0.1}, seed);
    TableFigures figures(table.plan);
    figures.fit(simulate(table.plan, table.records.view(), seed));
    for (const TableGroup& group : table.groups) {
      for (const TableStatistic& asked : table.statistics) {
        for (const FigureOfGroup& figure : figures.figures(asked, figures.sums_of(group)))
          EXPECT_LT(figure.interval->low, figure.interval->high);
      }
    }
  }
}

/// What is promised before the release is what intervals then have.
TEST(TableFigures, PredictedWidthsAreThoseOfIntervals) {
  const MadeUpTable table = make_up_table({.rho = 0.5, .sizes = {3000, 3000, 3000, 3000}}, 4);
  TableFigures figures(table.plan);
  figures.fit(simulate(table.plan, table.records.view(), 4));
  for (const size_t g : {0, 1, 5}) {
    const TableGroup& group = table.groups[g];
    const double size = 3000.0 * static_cast<double>(group.strata.size());
    for (const size_t s : {0, 1, 2, 5, 6}) {
      const TableStatistic& asked = table.statistics[s];
      const Interval interval = *figures.figures(asked, figures.sums_of(group))[0].interval;
      const double half = (interval.high - interval.low) / 2;
      const double predicted = figures.predicted_half_width(asked, size, group.strata.size());
      EXPECT_LE(half, 1.08 * predicted) << s << " with the rounding of numbers";
      EXPECT_GE(half, 0.5 * predicted) << s << " of worst values";
    }
  }
}

}  // namespace equinoise::table_figures_test
