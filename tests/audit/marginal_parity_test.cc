// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/marginal_parity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/synth/coded_tables.h"

namespace equinoise::marginal_parity_test {

using testing::coded_table;

const std::vector<std::vector<int>> kColumns = {{0}, {1}};

TEST(MarginalParity, ComparesEveryGroupWithItself) {
  const CodedTable real = coded_table({2, 2}, {{0, 0}, {0, 1}, {1, 0}, {1, 0}});
  const CodedTable synthetic = coded_table({2, 2}, {{0, 0}, {0, 0}, {1, 0}, {1, 1}});
  const std::vector<GroupId> groups = {GroupId{0}, GroupId{0}, GroupId{1}, GroupId{1}};
  const MarginalParity parity = marginal_parity(real, groups, synthetic, groups, 2, kColumns, 1);
  // Of everybody both columns are the same: half of each code, and one quarter of code 1.
  EXPECT_DOUBLE_EQ(parity.population, 0);
  // Within a group the first column is the same, of the second half of the records are elsewhere.
  EXPECT_DOUBLE_EQ(parity.groups[0].value(), 0.25);
  EXPECT_DOUBLE_EQ(parity.groups[1].value(), 0.25);
  EXPECT_DOUBLE_EQ(parity.parity_error, 0.5 / 3);
  EXPECT_DOUBLE_EQ(parity.largest_difference, 0);
}

TEST(MarginalParity, GroupsWithoutSyntheticRowsAreAsFarAsCanBe) {
  const CodedTable real = coded_table({2, 2}, {{0, 0}, {0, 1}, {1, 0}, {1, 0}});
  const CodedTable synthetic = coded_table({2, 2}, {{0, 0}, {0, 1}});
  const std::vector<GroupId> real_groups = {GroupId{0}, GroupId{0}, GroupId{1}, GroupId{1}};
  const std::vector<GroupId> synthetic_groups = {GroupId{0}, GroupId{0}};
  const MarginalParity parity =
      marginal_parity(real, real_groups, synthetic, synthetic_groups, 3, kColumns, 1);
  EXPECT_DOUBLE_EQ(parity.groups[0].value(), 0);
  EXPECT_DOUBLE_EQ(parity.groups[1].value(), 1);
  EXPECT_FALSE(parity.groups[2].has_value());
  EXPECT_DOUBLE_EQ(parity.largest_group, 1);
  EXPECT_DOUBLE_EQ(parity.largest_difference, 1);
  EXPECT_DOUBLE_EQ(parity.population, (0.5 + 0.25) / 2);
  EXPECT_DOUBLE_EQ(parity.parity_error, (0.375 + 0 + 1) / 3);
  EXPECT_DOUBLE_EQ(parity.printed.at(0.5), 0.5 * 0.375 + 0 + 1);
}

TEST(MarginalParity, BetweenFewerThanTwoGroupsThereIsNoDifference) {
  const CodedTable table = coded_table({2, 2}, {{0, 0}, {0, 1}});
  const std::vector<GroupId> groups = {GroupId{1}, GroupId{1}};
  const MarginalParity one = marginal_parity(table, groups, table, groups, 2, kColumns, 1);
  EXPECT_EQ(one.largest_group, 0);
  EXPECT_TRUE(std::isnan(one.largest_difference));
  const CodedTable none({2, 2});
  const MarginalParity nobody = marginal_parity(none, {}, table, groups, 2, kColumns, 1);
  for (const double figure : {nobody.population, nobody.parity_error, nobody.largest_group})
    EXPECT_TRUE(std::isnan(figure));
}

TEST(SplitByGroup, KeepsEveryRecordOnce) {
  const CodedTable table = coded_table({2, 3}, {{0, 2}, {1, 1}, {0, 0}});
  const std::vector<OwnedTable> groups =
      split_by_group(table, std::vector<GroupId>{GroupId{1}, GroupId{0}, GroupId{1}}, 2);
  EXPECT_EQ(groups[0].table.num_records, 1U);
  EXPECT_EQ(groups[0].table.columns[1].code(0), 1U);
  EXPECT_EQ(groups[1].table.num_records, 2U);
  EXPECT_EQ(groups[1].table.columns[1].code(0), 2U);
  EXPECT_EQ(groups[1].table.columns[1].code(1), 0U);
}

}  // namespace equinoise::marginal_parity_test
