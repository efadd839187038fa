// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/marginal_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "equinoise/synth/marginal_counts.h"
#include "tests/synth/coded_tables.h"

namespace equinoise::marginal_errors_test {

using testing::coded_table;
using testing::random_table;

const std::vector<std::string> kNames = {"0", "1", "2", "3", "4", "5", "6", "7"};

TEST(MarginalErrors, OfIdenticalTablesAreZeroButNotOfABootstrap) {
  const CodedTable table = random_table({2, 3, 4}, 200, 1);
  const MarginalErrors errors = marginal_errors(table, table, sets_of_degree(3, 2), kNames, 1);
  EXPECT_EQ(errors.workload().error.rows, 0);
  EXPECT_GT(errors.workload().error.bootstrap, 0);
  ASSERT_EQ(errors.columns.size(), 3U);
  for (const MarginalError& column : errors.columns) {
    EXPECT_EQ(column.error.rows, 0);
    EXPECT_GT(column.error.bootstrap, 0);
    EXPECT_LT(column.error.bootstrap,
              errors.workload().error.bootstrap);  // tables of one column have fewer cells
  }
}

/// Of 10,000 coins the share of heads is off by sqrt(2 / pi) / 2 / sqrt(10,000) = .0040 on average.
TEST(MarginalErrors, ABootstrapErrsAsChanceDoes) {
  CodedTable coins({2});
  for (uint32_t i = 0; i < 10'000; ++i) coins.columns[0].append(i % 2);
  coins.num_records = 10'000;
  const double bootstrap =
      marginal_errors(coins, coins, sets_of_degree(1, 1), kNames, 1).workload().error.bootstrap;
  EXPECT_GT(bootstrap, 0.001);
  EXPECT_LT(bootstrap, 0.010);
  // One record is drawn whatever the seed.
  const CodedTable one = coded_table({2}, {{1}});
  EXPECT_EQ(marginal_errors(one, one, sets_of_degree(1, 1), kNames, 1).workload().error.bootstrap,
            0);
}

/// A hundred units of a hundred coins that are alike: chance is that of a hundred coins, ten times
/// as much as of ten thousand, also within a group of them.
TEST(MarginalErrors, ABootstrapOfUnitsErrsAsChanceWithThemDoes) {
  CodedTable coins({2});
  std::vector<uint32_t> units = {0};
  for (uint32_t unit = 0; unit < 100; ++unit) {
    for (uint32_t i = 0; i < 100; ++i) coins.columns[0].append(unit % 2);
    units.push_back(100 * (unit + 1));
  }
  coins.num_records = 10'000;
  const auto sets = sets_of_degree(1, 1);
  const MarginalErrors errors = marginal_errors(coins, coins, sets, kNames, 1, units);
  EXPECT_GT(errors.workload().error.bootstrap, 0.010);
  EXPECT_LT(errors.workload().error.bootstrap, 0.100);
  EXPECT_NEAR(std::remainder(100 * errors.workload().error.second_half, 2), 0,
              1e-9);  // whole units of 50
  const std::vector<GroupId> one_group(10'000, GroupId{0});
  const auto groups =
      group_marginal_errors(coins, one_group, coins, one_group, 1, sets, kNames, 1, units);
  EXPECT_EQ(groups.at(0).workload().error.bootstrap, errors.workload().error.bootstrap);
}

/// A group of each value of the first column.
TEST(MarginalErrors, OfCountedRowsAreThoseOfTheirRecords) {
  CodedTable counted = random_table({2, 3, 4}, 60, 5);
  CodedTable records(counted.sizes());
  std::vector<double> weights;
  std::vector<double> weights_of_records;
  std::vector<GroupId> groups;
  std::vector<GroupId> groups_of_records;
  for (size_t row = 0; row < counted.num_records; ++row) {
    counted.counts.push_back(1 + 37 * static_cast<uint32_t>(row) % 11);
    weights.push_back(1 / static_cast<double>(1 + row % 7));
    groups.push_back(GroupId{counted.columns[0].code(row)});
    for (uint32_t i = 0; i < counted.counts.back(); ++i) {
      for (size_t j = 0; j < 3; ++j) records.columns[j].append(counted.columns[j].code(row));
      weights_of_records.push_back(weights.back());
      groups_of_records.push_back(groups.back());
    }
  }
  records.num_records = weights_of_records.size();
  const CodedTable synthetic = random_table(counted.sizes(), 50, 6);
  const std::vector<GroupId> all_in_one(50, GroupId{1});
  const auto sets = sets_of_degree(3, 2);
  const auto expect_same = [](const MarginalErrors& one, const MarginalErrors& other) {
    const ComparedFigure& a = one.workload().error;
    const ComparedFigure& b = other.workload().error;
    EXPECT_EQ(a.rows, b.rows);
    EXPECT_EQ(a.bootstrap, b.bootstrap);
    EXPECT_EQ(a.second_half, b.second_half);
    EXPECT_GT(a.bootstrap, 0);
  };
  for (const bool is_weighed : {false, true}) {
    const WeighedTable one(counted, is_weighed ? weights : std::span<const double>());
    const WeighedTable other(records, is_weighed ? weights_of_records : std::span<const double>());
    expect_same(marginal_errors(one, synthetic, sets, kNames, 1),
                marginal_errors(other, synthetic, sets, kNames, 1));
    const auto of_groups =
        group_marginal_errors(one, groups, synthetic, all_in_one, 2, sets, kNames, 1);
    const auto same =
        group_marginal_errors(other, groups_of_records, synthetic, all_in_one, 2, sets, kNames, 1);
    for (const size_t group : {0U, 1U}) expect_same(of_groups[group], same[group]);
  }
}

TEST(MarginalErrors, KeepTheLargestInOrder) {
  const CodedTable real = random_table({2, 2, 2, 2, 2, 2, 2, 2}, 50, 1);
  const CodedTable synthetic = random_table(real.sizes(), 50, 2);
  const auto sets = sets_of_degree(8, 2);  // 28
  const MarginalErrors errors = marginal_errors(real, synthetic, sets, kNames, 1);
  std::vector<double> distances = marginal_distances(real, synthetic, sets, 1);
  EXPECT_DOUBLE_EQ(errors.workload().error.rows, workload_error(distances));
  std::sort(distances.rbegin(), distances.rend());
  ASSERT_EQ(errors.largest.size(), kMaxLargestMarginals);
  for (size_t i = 0; i < kMaxLargestMarginals; ++i) {
    const MarginalError& error = errors.largest[i];
    EXPECT_EQ(error.error.rows, distances[i]);
    std::vector<std::vector<int>> set(1);
    for (const std::string& column : error.columns) set[0].push_back(std::stoi(column));
    EXPECT_EQ(error.error.rows, marginal_distances(real, synthetic, set, 1)[0]);
  }
}

TEST(MarginalErrors, DoNotDependOnThreads) {
  const CodedTable real = random_table({3, 5, 7}, 100, 3);
  const CodedTable synthetic = random_table(real.sizes(), 80, 4);
  const auto sets = sets_of_degree(3, 2);
  const MarginalErrors one = marginal_errors(real, synthetic, sets, kNames, 1);
  const MarginalErrors two = marginal_errors(real, synthetic, sets, kNames, 2);
  EXPECT_EQ(one.workload().error.rows, two.workload().error.rows);
  EXPECT_EQ(one.workload().error.bootstrap, two.workload().error.bootstrap);
}

/// A bootstrap either has the record that weighs nearly everything or lacks it.
TEST(MarginalErrors, ABootstrapKeepsTheWeightsOfItsRecords) {
  CodedTable table({2});
  std::vector<double> weights;
  for (int i = 0; i < 10; ++i) {
    table.columns[0].append(i == 3 ? 1 : 0);
    weights.push_back(i == 3 ? 1e9 : 1);
  }
  table.num_records = 10;
  const WeighedTable weighed(table, weights);
  const double draws =
      kNumBootstraps *
      marginal_errors(weighed, weighed, sets_of_degree(1, 1), kNames, 1).workload().error.bootstrap;
  EXPECT_NEAR(draws, std::round(draws), 1e-6);
}

TEST(GroupMarginalErrors, AreUndefinedWithoutRealRecordsAndOneWithoutRows) {
  const CodedTable real = coded_table({2, 2}, {{0, 0}, {0, 1}, {1, 0}, {1, 0}});
  const CodedTable synthetic = coded_table({2, 2}, {{0, 0}, {0, 1}});
  const std::vector<GroupId> real_groups = {GroupId{0}, GroupId{0}, GroupId{1}, GroupId{1}};
  const std::vector<GroupId> synthetic_groups = {GroupId{0}, GroupId{0}};
  const auto sets = sets_of_degree(2, 1);
  const auto groups =
      group_marginal_errors(real, real_groups, synthetic, synthetic_groups, 3, sets, kNames, 1);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].workload().error.rows, 0);
  EXPECT_EQ(groups[1].workload().error.rows, 1);
  EXPECT_EQ(groups[1].workload().error.bootstrap, 0);  // all of them are the same
  EXPECT_TRUE(std::isnan(groups[2].workload().error.rows));

  const MarginalErrors nobody = marginal_errors(CodedTable({2, 2}), synthetic, sets, kNames, 1);
  EXPECT_TRUE(std::isnan(nobody.workload().error.rows));
  EXPECT_TRUE(std::isnan(nobody.workload().error.bootstrap));
  EXPECT_TRUE(std::isnan(nobody.columns[0].error.rows));
  EXPECT_TRUE(nobody.largest.empty());
}

}  // namespace equinoise::marginal_errors_test
