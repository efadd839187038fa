// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/private_group_rates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "equinoise/audit/constraint_check.h"

namespace equinoise::private_group_rates_test {

const std::vector<GroupLabel> kGroups = {{{"sex", "F"}}, {{"sex", "M"}}, {{"sex", "X"}}};

/// Every combination of group, label and prediction, some of them several times.
struct Records {
  explicit Records(size_t num_classes) {
    for (uint32_t i = 0; i < 90; ++i) {
      groups.push_back(GroupId{i % 2});  // nobody is in the third
      table.contributes.push_back(1);
      table.labels.push_back(static_cast<uint16_t>(i / 2 % num_classes));
      predictions.predicted.push_back(static_cast<uint16_t>(i / 7 % num_classes));
      predictions.loss.push_back(0);
    }
    table.num_records = 90;
    for (size_t k = 0; k < num_classes; ++k) table.classes.push_back(std::to_string(k));
  }
  std::vector<int64_t> counts(const RateProgram& program) const {
    return count_cells(program, table, groups, predictions);
  }
  std::vector<GroupId> groups;
  EncodedTable table;
  Predictions predictions;
};

/// Without noise the figures are those of the fenced table.
TEST(PrivateGroupRates, AreTheRatesOfTheGroupsAndOfEverybody) {
  for (const size_t num_classes : {2U, 3U}) {
    const Records records(num_classes);
    const RateProgram program = group_rate_program(kGroups, num_classes);
    const std::vector<PrivateRates> rates = read_group_rates(program, records.counts(program), 0);
    ASSERT_EQ(rates.size(), kGroups.size() + 1);
    std::vector<Metrics> exact =
        group_metrics(records.table, records.predictions, records.groups, kGroups.size());
    exact.push_back(overall_metrics(records.table, records.predictions));
    for (size_t k = 0; k < exact.size(); ++k) {
      if (k == 2) {
        EXPECT_TRUE(std::isnan(rates[k].accuracy.value)) << "of nobody";
        continue;
      }
      EXPECT_DOUBLE_EQ(rates[k].accuracy.value, exact[k].accuracy.value);
      EXPECT_NEAR(rates[k].accuracy.interval.low, exact[k].accuracy.interval.low, 1e-9);
      if (num_classes == 3) {
        EXPECT_TRUE(std::isnan(rates[k].selection_rate.value));
        EXPECT_TRUE(std::isnan(rates[k].false_positive_rate.value));
        continue;
      }
      EXPECT_DOUBLE_EQ(rates[k].selection_rate.value, exact[k].selection_rate.value);
      EXPECT_DOUBLE_EQ(rates[k].false_positive_rate.value, exact[k].false_positive_rate.value);
      EXPECT_DOUBLE_EQ(rates[k].false_negative_rate.value, exact[k].false_negative_rate.value);
      EXPECT_DOUBLE_EQ(rates[k].precision.value, exact[k].precision.value);
      const Metrics found = metrics_of(rates[k], true);
      EXPECT_NEAR(found.true_positive_rate.value, exact[k].true_positive_rate.value, 1e-12);
      EXPECT_NEAR(found.error.value, exact[k].error.value, 1e-12);
      EXPECT_TRUE(std::isnan(found.loss.value)) << "what was not released is undefined";
    }
  }
}

TEST(PrivateGroupRates, UnionsOfGroupsAreReadFromTheirCells) {
  const std::vector<GroupLabel> fine = {{{"sex", "F"}, {"city", "a"}},
                                        {{"sex", "F"}, {"city", "b"}},
                                        {{"sex", "M"}, {"city", "a"}},
                                        {{"sex", "M"}, {"city", "b"}}};
  const std::vector<GroupLabel> sexes = {{{"sex", "F"}}, {{"sex", "M"}}};
  for (const size_t num_classes : {2U, 3U}) {
    Records records(num_classes);
    const std::vector<GroupId> sex_of = records.groups;
    for (uint32_t i = 0; i < 90; ++i)
      records.groups[i] = GroupId{2 * index_of(sex_of[i]) + (i % 5 == 0 ? 1 : 0)};
    const RateProgram united = group_rate_program(fine, num_classes, &sexes);
    const std::vector<PrivateRates> rates = read_group_rates(united, records.counts(united), 0);
    const RateProgram own = group_rate_program(sexes, num_classes);
    const std::vector<PrivateRates> expected =
        read_group_rates(own, count_cells(own, records.table, sex_of, records.predictions), 0);
    ASSERT_EQ(rates.size(), expected.size());
    for (size_t k = 0; k < rates.size(); ++k)
      for (const PrivateRate& rate : private_rates(num_classes))
        EXPECT_DOUBLE_EQ((rates[k].*rate.value).value, (expected[k].*rate.value).value);
  }
}

/// The sensitivity that is paid for: a record that becomes null changes one cell by one.
TEST(PrivateGroupRates, ANeighbourMovesOneCountByOne) {
  for (const size_t num_classes : {2U, 3U}) {
    const RateProgram program = group_rate_program(kGroups, num_classes);
    const Records records(num_classes);
    const std::vector<int64_t> before = records.counts(program);
    EXPECT_EQ(std::accumulate(before.begin(), before.end(), int64_t{0}), 90);
    for (size_t i = 0; i < 90; ++i) {
      Records neighbour(num_classes);
      neighbour.table.contributes[i] = 0;
      const std::vector<int64_t> after = neighbour.counts(program);
      int64_t moved = 0;
      for (size_t cell = 0; cell < before.size(); ++cell)
        moved += std::abs(before[cell] - after[cell]);
      EXPECT_EQ(moved, 1);
    }
  }
}

TEST(PrivateGroupRates, WithoutGroupsEverybodyIsOne) {
  const RateProgram program = group_rate_program({}, 2);
  Records records(2);
  records.groups.assign(90, GroupId{0});
  const std::vector<PrivateRates> rates = read_group_rates(program, records.counts(program), 0);
  EXPECT_DOUBLE_EQ(rates.back().accuracy.value,
                   overall_metrics(records.table, records.predictions).accuracy.value);
}

/// What noise swamps is not told.
TEST(PrivateGroupRates, AGroupThatNoiseHidesHasNoFigure) {
  const RateProgram program = group_rate_program(kGroups, 2);
  const std::vector<int64_t> counts = {500, 30, 20, 400, 3, 1, 0, 2, 200, 20, 20, 200};
  const std::vector<PrivateRates> rates = read_group_rates(program, counts, 5);
  EXPECT_FALSE(std::isnan(rates[0].accuracy.value));
  EXPECT_TRUE(std::isnan(rates[1].accuracy.value));
}

}  // namespace equinoise::private_group_rates_test
