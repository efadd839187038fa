// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/cell_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "equinoise/privacy/accountants/accountant.h"
#include "tests/means/simulated_means.h"
#include "tests/test_support.h"

namespace equinoise::cell_counts_test {

using testing::MadeUpRecords;
using testing::simulate;

const std::vector<CellTree> kTrees = {{7, 0}, {16, 2}, {64, 4}, {1024, 4}};

TEST(CellTree, EntriesAreSumsOfNeighbours) {
  const CellTree tree = {8, 2};
  EXPECT_EQ(tree.num_levels(), 3U);
  EXPECT_EQ(tree.num_entries(), 14U);
  const std::vector<int64_t> cells = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(tree.entries_of(cells),
            (std::vector<int64_t>{10, 26, 3, 7, 11, 15, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ((CellTree{3, 0}.entries_of(std::vector<int64_t>{4, 5, 6})),
            (std::vector<int64_t>{4, 5, 6}));
}

/// No change of one record moves the entries by more, and some moves them by as much: a record that
/// goes; one that moves between any two cells.
TEST(CellTree, SensitivityIsTheLargestChangeOfOneRecord) {
  for (const CellTree& tree : kTrees) {
    const auto entries_with = [&](size_t cell) {
      std::vector<int64_t> cells(tree.num_cells);
      if (cell < tree.num_cells) cells[cell] = 1;
      return tree.entries_of(cells);
    };
    const auto distance = [](const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
      double squared = 0;
      for (size_t i = 0; i < a.size(); ++i)
        squared += std::pow(static_cast<double>(a[i] - b[i]), 2);
      return std::sqrt(squared);
    };
    const std::vector<int64_t> without = entries_with(tree.num_cells);
    const std::vector<int64_t> first = entries_with(0);
    double largest_gone = 0;
    double largest_moved = 0;
    for (size_t cell = 0; cell < tree.num_cells; ++cell) {
      largest_gone = std::max(largest_gone, distance(entries_with(cell), without));
      largest_moved = std::max(largest_moved, distance(entries_with(cell), first));
    }
    EXPECT_NEAR(tree.sensitivity(Relation::kZeroOut), largest_gone, 1e-9);
    EXPECT_GE(tree.sensitivity(Relation::kZeroOut), largest_gone);
    EXPECT_NEAR(tree.sensitivity(Relation::kReplaceOne), largest_moved, 1e-9);
    EXPECT_GE(tree.sensitivity(Relation::kReplaceOne), largest_moved);
  }
}

TEST(CountsEvents, CostTheirRho) {
  for (const double rho : {1e-4, 0.02, 3.0}) {
    const std::vector<Event> events = counts_events({64, 4}, rho);
    ASSERT_EQ(events.size(), 2U);
    const double multiplier = events[0].noise_multiplier();
    EXPECT_LE(1 / (2 * multiplier * multiplier), rho);
    EXPECT_NEAR(1 / (2 * multiplier * multiplier), rho, 1e-9 * rho);
    EXPECT_EQ(events[1].kind(), Event::Kind::kSamplerError);
  }
}

MeansQuestion question_of(Relation relation, bool has_gaps) {
  MeansQuestion question;
  question.method = "bounded";
  question.counted = {{"age", 0, 100, {has_gaps ? 11U : 10U, 0}, has_gaps},
                      {"age", 0, 100, {16, 4}, has_gaps}};
  question.rho = 0.5;
  question.config.relation = relation;
  question.num_strata = 2;
  question.sizes = {500, 40};
  return question;
}

MadeUpRecords records_of(uint64_t seed) {
  std::mt19937_64 random(seed);
  MadeUpRecords records = testing::make_up(
      {500, 40}, [&](size_t) { return std::uniform_real_distribution<>(0, 100)(random); });
  records.columns.push_back(records.columns[0]);
  return records;
}

TEST(ReleaseCounts, TheWholePlanCostsItsRho) {
  for (const Relation relation : {Relation::kReplaceOne, Relation::kZeroOut}) {
    MeansQuestion question = question_of(relation, false);
    question.columns = {{"age", 0, 100, {}}};
    question.shares = {0.2, 0.5, 0.3};
    const MeansPlan plan = plan_means(question);
    const MeansPlan alone = plan_means([&] {
      MeansQuestion one = question;
      one.counted.clear();
      one.shares.clear();
      return one;
    }());
    for (size_t k = 0; k < 2; ++k) {
      const auto epsilon = [&](const MeansPlan& of) {
        return smallest_guarantee(relation, of.events[k], Delta(1e-6)).epsilon.value();
      };
      EXPECT_NEAR(epsilon(plan), epsilon(alone), 1e-3) << "as much as one sum at that rho";
    }
  }
}

/// Entries without noise, and noise of the planned size: a chi-squared test at 1e-6.
TEST(ReleaseCounts, AddTheNoiseOfTheirPlan) {
  const MadeUpRecords records = records_of(3);
  const MeansPlan plan = plan_means(question_of(Relation::kZeroOut, false));
  double squares = 0;
  double count = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const MeansRelease release = simulate(plan, records.view(), seed);
    for (size_t k = 0; k < 2; ++k) {
      for (size_t i = 0; i < 2; ++i) {
        const CellColumn& column = plan.question.counted[i];
        std::vector<int64_t> cells(column.tree.num_cells);
        for (size_t r = 0; r < records.strata.size(); ++r) {
          if (records.strata[r] != k) continue;
          const double place =
              records.columns[0][r] / 100 * static_cast<double>(column.tree.num_cells);
          ++cells[static_cast<size_t>(place)];
        }
        const std::vector<int64_t> exact = column.tree.entries_of(cells);
        const std::vector<int64_t>& noisy = release.counts[k * 2 + i];
        ASSERT_EQ(noisy.size(), exact.size());
        const double stddev = plan.counts[i].noise_stddev;
        for (size_t e = 0; e < exact.size(); ++e) {
          const double noise = static_cast<double>(noisy[e] - exact[e]);
          squares += noise * noise / (stddev * stddev + 1.0 / 12);
          count += 1;
        }
      }
    }
  }
  EXPECT_NEAR(squares / count, 1, 4.9 * std::sqrt(2 / count));
}

/// By weight, the exact entries of neighbouring tables, read off releases with next to no noise:
/// none is farther from another than the sensitivity, whatever the weights, and some are as far.
TEST(ReleaseCounts, WeightsMoveEntriesByTheSensitivityAtMost) {
  for (const Relation relation : {Relation::kReplaceOne, Relation::kZeroOut}) {
    MeansQuestion question = question_of(relation, true);
    question.usual_weight = 0.5;
    question.rho = 1e9;
    const MeansPlan plan = plan_means(question);
    struct Changed {
      double value;
      double weight;
      bool is_missing = false;
    };
    const auto entries_with = [&](const Changed& changed, size_t i) {
      MadeUpRecords records = records_of(5);
      records.weights.assign(records.strata.size(), 0.25);
      for (std::vector<double>& column : records.columns) column[0] = changed.value;
      records.weights[0] = changed.weight;
      for (size_t j = 0; j < 2 && changed.is_missing; ++j) records.make_missing(j, 0);
      return simulate(plan, records.view(), 1).counts[i];
    };
    for (size_t i = 0; i < 2; ++i) {
      const double bound = question.counted[i].tree.sensitivity(relation);
      double largest = 0;
      const auto compare = [&](const Changed& a, const Changed& b) {
        const std::vector<int64_t> first = entries_with(a, i);
        const std::vector<int64_t> second = entries_with(b, i);
        double squared = 0;
        for (size_t e = 0; e < first.size(); ++e)
          squared +=
              std::pow(static_cast<double>(first[e] - second[e]) / plan.counts[i].units(), 2);
        largest = std::max(largest, std::sqrt(squared));
      };
      const double nothing = 0;
      for (const double weight : {0.0, 0.3, 1.0, 7.0, std::nan("")}) {
        compare({3, weight}, {3, nothing});
        compare({3, weight, true}, {3, nothing});
        if (relation == Relation::kZeroOut) continue;
        compare({3, weight}, {97, 1});
        compare({3, weight}, {3, 1, true});
      }
      // The same seed draws the same noise, up to its rounding.
      EXPECT_LE(largest, bound + 1e-3);
      EXPECT_GE(largest, bound - 1e-3);
    }
  }
}

TEST(ReleaseCounts, ThoseWithoutAValueAreInTheLastCell) {
  MadeUpRecords records = records_of(5);
  for (size_t r = 0; r < 100; ++r)
    for (size_t j = 0; j < 2; ++j) records.make_missing(j, r);
  MeansQuestion question = question_of(Relation::kReplaceOne, true);
  question.rho = 1e6;
  const MeansRelease release = simulate(plan_means(question), records.view(), 1);
  const std::vector<int64_t>& cells = release.counts[0];
  ASSERT_EQ(cells.size(), 11U);
  EXPECT_EQ(std::accumulate(cells.begin(), cells.end() - 1, int64_t{0}), 400);
  EXPECT_EQ(cells.back(), 100);
  // A tree has no such cell: they are in none.
  const std::vector<int64_t>& tree = release.counts[1];
  EXPECT_EQ(std::accumulate(tree.begin(), tree.begin() + 4, int64_t{0}), 400);
}

/// A number on the edge of two cells is in the upper one, as its name says, however it is rounded.
TEST(ReleaseCounts, NumbersOnEdgesAreInTheUpperCell) {
  MeansQuestion question = question_of(Relation::kReplaceOne, false);
  question.counted = {{"age", 35, 42, {70, 0}, false}};
  question.num_strata = 1;
  question.sizes = {70};
  question.rho = 1e6;
  MadeUpRecords records;
  records.columns.resize(1);
  for (int cell = 0; cell < 70; ++cell) {
    records.columns[0].push_back((350 + cell) / 10.0);
    records.strata.push_back(0);
  }
  const MeansRelease release = simulate(plan_means(question), records.view(), 1);
  EXPECT_EQ(release.counts[0], std::vector<int64_t>(70, 1));
}

TEST(ReleaseCounts, StrataOfSizeZeroHaveNone) {
  MeansQuestion question = question_of(Relation::kReplaceOne, false);
  question.sizes = {540, 0};
  const MeansPlan plan = plan_means(question);
  EXPECT_TRUE(plan.events[1].empty());
  const MeansRelease release = simulate(plan, records_of(5).view(), 1);
  EXPECT_FALSE(release.counts[0].empty());
  EXPECT_TRUE(release.counts[2].empty());
}

TEST(PlanMeans, WeightsAreOfAllColumnsAndNeedSizes) {
  MeansQuestion question = question_of(Relation::kZeroOut, false);
  question.usual_weight = 0.5;
  EXPECT_EQ(plan_means(question).size_noise, std::nullopt);
  MeansQuestion other = question;
  other.columns = {{"age", 0, 100, {}}};
  EXPECT_ERROR(kUsage, HasSubstr("for all columns or for none"), plan_means(other));
  other = question;
  other.sizes.clear();
  other.private_sizes = true;
  EXPECT_ERROR(kUsage, HasSubstr("need a size of each stratum"), plan_means(other));
  other = question;
  other.usual_weight = std::nan("");
  EXPECT_ERROR(kUsage, HasSubstr("usual weight"), plan_means(other));
}

TEST(PlanMeans, SizesAloneMayBeAskedFor) {
  MeansQuestion question = question_of(Relation::kZeroOut, false);
  question.counted.clear();
  EXPECT_ERROR(kUsage, HasSubstr("at least one column"), plan_means(question));
  question.sizes.clear();
  question.private_sizes = true;
  const MeansPlan plan = plan_means(question);
  ASSERT_EQ(plan.events[0].size(), 1U);
  EXPECT_NEAR(*plan.size_noise, std::sqrt(1 / (2 * 0.5)), 1e-6) << "all of the budget";
}

}  // namespace equinoise::cell_counts_test
