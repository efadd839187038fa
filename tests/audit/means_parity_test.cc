// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/means_parity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace equinoise::means_parity_test {

constexpr GroupId kA{0};
constexpr GroupId kB{1};
constexpr GroupId kC{2};

const std::vector<GroupId> kGroups = {kA, kA, kB, kB};

TEST(ColumnParity, DividesErrorsOfMeansByTheMean) {
  const std::vector<double> real = {10, 20, 40, 40};
  const std::vector<double> synthetic = {12, 24, 30, 40};
  const ParityError error = column_parity({real, kGroups, {}}, {synthetic, kGroups, {}}, 2, 0, 100);
  EXPECT_DOUBLE_EQ(error.relative_errors[0].value(), 3.0 / 15);
  EXPECT_DOUBLE_EQ(error.relative_errors[1].value(), 5.0 / 40);
  EXPECT_DOUBLE_EQ(error.population_relative_error, 1.0 / 27.5);
  EXPECT_DOUBLE_EQ(error.max_group_error, 0.2);
  EXPECT_DOUBLE_EQ(error.parity_error, (0.2 + 0.125 + 1.0 / 27.5) / 3);
}

TEST(ColumnParity, MeansNearZeroAreDividedByATwentiethOfTheBounds) {
  const std::vector<double> real = {0, 0, 50, 50};
  const std::vector<double> synthetic = {1, 1, 50, 50};
  const ParityError error = column_parity({real, kGroups, {}}, {synthetic, kGroups, {}}, 2, 0, 100);
  EXPECT_DOUBLE_EQ(error.relative_errors[0].value(), 1.0 / 5);
}

TEST(ColumnParity, GroupsWithoutSyntheticRowsAreToldTheMeanOfEverybody) {
  const std::vector<double> real = {10, 20, 40, 40};
  const std::vector<double> synthetic = {30, 30};
  const std::vector<GroupId> groups = {kA, kA};
  const ParityError error = column_parity({real, kGroups, {}}, {synthetic, groups, {}}, 2, 0, 100);
  EXPECT_DOUBLE_EQ(error.absolute_errors[1].value(), 10);
  const ParityError nothing = column_parity({real, kGroups, {}}, {{}, {}, {}}, 2, 0, 100);
  EXPECT_DOUBLE_EQ(nothing.absolute_errors[0].value(), 35);  // 50 instead of 15
}

TEST(ColumnParity, RecordsWithoutAValueAndGroupsWithoutRecordsDoNotCount) {
  const std::vector<double> values = {10, 99, 40, 40};
  const std::vector<uint32_t> counts = {1, 0, 1, 1};
  // Nobody is in group C; what does not count may be in no group at all.
  const std::vector<GroupId> groups = {kA, GroupId{7}, kB, kB};
  const ParityError error =
      column_parity({values, groups, counts}, {values, groups, counts}, 3, 0, 100);
  EXPECT_EQ(error.skipped_groups, std::vector<size_t>{index_of(kC)});
  EXPECT_EQ(error.parity_error, 0);
}

TEST(GroupMeans, OfNobodyAreUndefined) {
  const std::vector<double> values = {10, 99, 40, 20};
  const std::vector<uint32_t> counts = {1, 0, 1, 1};
  const std::vector<double> weights = {1, 1, 3, 1};
  const GroupMeans means = group_means({values, kGroups, counts, weights}, 3);
  EXPECT_EQ(means.num_records, (std::vector<int64_t>{1, 2, 0}));
  EXPECT_DOUBLE_EQ(means.means[0], 10);
  EXPECT_DOUBLE_EQ(means.means[1], 35);
  EXPECT_TRUE(std::isnan(means.means[2]));
  EXPECT_DOUBLE_EQ(means.overall, 30);
  EXPECT_TRUE(std::isnan(group_means({{}, {}, {}}, 1).overall));
}

TEST(GroupMeans, AreThoseOfTheRecordsThatRowsStandFor) {
  const std::vector<double> values = {0.1, 0.7, -1 / 3.0};
  const std::vector<double> weights = {0.3, 1.7, 1 / 7.0};
  const std::vector<uint32_t> counts = {3, 0, 4};
  const std::vector<GroupId> own_groups = {kA, kA, kB};
  const GroupMeans counted = group_means({values, own_groups, counts, weights}, 2);
  const std::vector<double> all = {0.1, 0.1, 0.1, -1 / 3.0, -1 / 3.0, -1 / 3.0, -1 / 3.0};
  const std::vector<double> all_weights = {0.3, 0.3, 0.3, 1 / 7.0, 1 / 7.0, 1 / 7.0, 1 / 7.0};
  const std::vector<GroupId> groups = {kA, kA, kA, kB, kB, kB, kB};
  const GroupMeans of_records = group_means({all, groups, {}, all_weights}, 2);
  EXPECT_EQ(counted.num_records, of_records.num_records);
  EXPECT_EQ(counted.means, of_records.means);
  EXPECT_EQ(counted.sizes, of_records.sizes);
  EXPECT_EQ(counted.overall, of_records.overall);
  EXPECT_DOUBLE_EQ(counted.means[0], 0.1);
}

TEST(MeansParity, IsTheMeanOverColumnsAndNamesTheWorst) {
  const std::vector<double> exact = {10, 20, 40, 40};
  const std::vector<double> off = {12, 24, 30, 40};
  const MeansParity parity =
      means_parity({{"exact", column_parity({exact, kGroups, {}}, {exact, kGroups, {}}, 2, 0, 100)},
                    {"off", column_parity({exact, kGroups, {}}, {off, kGroups, {}}, 2, 0, 100)}});
  EXPECT_DOUBLE_EQ(parity.parity_error, (0.2 + 0.125 + 1.0 / 27.5) / 6);
  EXPECT_DOUBLE_EQ(parity.largest_disparity, 0.2);
  EXPECT_EQ(parity.worst_column, 1U);
  EXPECT_EQ(parity.worst_group, 0U);
}

TEST(MeansParity, AsPrintedIsASumOverGroupsWithoutAFloor) {
  const std::vector<double> real = {1, 1, 40, 40};
  const std::vector<double> off = {2, 2, 30, 40};
  const MeansParity parity =
      means_parity({{"exact", column_parity({real, kGroups, {}}, {real, kGroups, {}}, 2, 0, 100)},
                    {"off", column_parity({real, kGroups, {}}, {off, kGroups, {}}, 2, 0, 100)}});
  // Of "off": groups 1 of 1 and 5 of 40, everybody 2 of 20.5; a floor would make it 1 of 5.
  EXPECT_DOUBLE_EQ(parity.printed.value().at(0.5), (0.5 * 2 / 20.5 + 1 + 0.125) / 2);
  EXPECT_DOUBLE_EQ(parity.parity_error, (0.2 + 0.125 + 2 / 20.5) / 6);
  const std::vector<double> zeros = {0, 0, 40, 40};
  EXPECT_FALSE(
      means_parity({{"zeros", column_parity({zeros, kGroups, {}}, {off, kGroups, {}}, 2, 0, 100)},
                    {"off", column_parity({real, kGroups, {}}, {off, kGroups, {}}, 2, 0, 100)}})
          .printed.has_value());
}

TEST(MeansParity, WithoutRealRecordsThereIsNone) {
  const std::vector<double> told = {12, 24, 30, 40};
  const MeansParity parity =
      means_parity({{"x", column_parity({{}, {}, {}}, {told, kGroups, {}}, 2, 0, 100)}});
  EXPECT_TRUE(std::isnan(parity.parity_error));
  EXPECT_TRUE(std::isnan(parity.largest_disparity));
}

}  // namespace equinoise::means_parity_test
