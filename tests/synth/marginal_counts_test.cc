// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/marginal_counts.h"

#include <cmath>
#include <mutex>
#include <set>

#include "equinoise/synth/workload_error.h"
#include "tests/shared_vectors.h"
#include "tests/synth/coded_tables.h"
#include "tests/test_support.h"

namespace equinoise::marginal_counts_test {

using testing::coded_table;
using testing::random_table;

using Sets = std::vector<std::vector<int>>;

/// Cell by cell and record by record.
std::vector<uint32_t> count_plainly(const CodedTable& table, const std::vector<int>& set) {
  size_t cells = 1;
  for (const int column : set) cells *= table.columns[static_cast<size_t>(column)].num_values;
  std::vector<uint32_t> counts(cells);
  for (size_t record = 0; record < table.num_records; ++record) {
    size_t cell = 0;
    for (const int index : set) {
      const CodedColumn& column = table.columns[static_cast<size_t>(index)];
      cell = cell * column.num_values + column.code(record);
    }
    ++counts[cell];
  }
  return counts;
}

std::vector<std::vector<uint32_t>> count_all(const CodedTable& table, const Sets& sets,
                                             int threads) {
  std::vector<std::vector<uint32_t>> result(sets.size());
  std::mutex mutex;
  std::multiset<size_t> seen;
  count_marginals(table, sets, threads, [&](size_t index, std::span<const uint32_t> counts) {
    const std::lock_guard lock(mutex);
    seen.insert(index);
    result[index].assign(counts.begin(), counts.end());
  });
  for (size_t index = 0; index < sets.size(); ++index) EXPECT_EQ(seen.count(index), 1U) << index;
  return result;
}

TEST(MarginalCounts, AreThoseOfThePlainDefinition) {
  // Small, middle and large tables of counts, one and two bytes, one block and several.
  const std::vector<size_t> sizes = {2, 1, 30, 256, 257, 5, 300};
  for (const size_t num_records :
       {size_t{0}, size_t{1}, size_t{7}, size_t{65'536}, size_t{150'001}}) {
    const CodedTable table = random_table(sizes, num_records, 1);
    Sets sets = sets_of_degree(7, 1);
    for (const auto& set : sets_of_degree(7, 2)) sets.push_back(set);
    sets.push_back({});
    sets.push_back({6, 0, 4});
    sets.push_back({0, 2, 3});
    sets.push_back({0, 2, 3});
    sets.push_back({4, 6, 5});
    for (const int threads : {1, 3}) {
      const auto counts = count_all(table, sets, threads);
      for (size_t index = 0; index < sets.size(); ++index)
        EXPECT_EQ(counts[index], count_plainly(table, sets[index])) << num_records << ' ' << index;
    }
  }
}

TEST(MarginalCounts, ManySmallMarginalsOfManyRecords) {
  const CodedTable table = random_table({2, 9, 5, 1, 16, 2, 300}, 70'000, 4);
  Sets sets = sets_of_degree(7, 3);
  sets.push_back({5, 0, 2});
  sets.push_back({5, 0, 2});
  sets.push_back({});
  for (const int threads : {1, 3}) {
    const auto counts = count_all(table, sets, threads);
    for (size_t index = 0; index < sets.size(); ++index)
      EXPECT_EQ(counts[index], count_plainly(table, sets[index])) << index;
  }
}

TEST(MarginalCounts, ChunksAddUp) {
  const CodedTable first = random_table({3, 4}, 1000, 1);
  const CodedTable second = random_table({3, 4}, 500, 2);
  CodedTable both = first;
  for (size_t i = 0; i < 2; ++i) {
    for (size_t record = 0; record < second.num_records; ++record)
      both.columns[i].append(second.columns[i].code(record));
  }
  both.num_records = 1500;
  std::vector<uint32_t> sum = count_marginal(first, {0, 1});
  const std::vector<uint32_t> more = count_marginal(second, {0, 1});
  for (size_t cell = 0; cell < sum.size(); ++cell) sum[cell] += more[cell];
  EXPECT_EQ(sum, count_marginal(both, {0, 1}));
}

TEST(MarginalCounts, OneRecordChangesOneCellByOne) {
  CodedTable table = random_table({3, 4, 5}, 100, 3);
  const std::vector<uint32_t> before = count_marginal(table, {0, 1, 2});
  for (CodedColumn& column : table.columns) column.append(1);
  ++table.num_records;
  const std::vector<uint32_t> after = count_marginal(table, {0, 1, 2});
  uint32_t change = 0;
  for (size_t cell = 0; cell < before.size(); ++cell) change += after[cell] - before[cell];
  EXPECT_EQ(change, 1U);
}

TEST(MarginalCounts, RowsThatStandForSeveralRecordsCountAsTheseDo) {
  const std::vector<size_t> sizes = {3, 300, 1, 7, 40};
  for (const size_t num_rows : {0UL, 1UL, 1000UL, 70'000UL}) {
    CodedTable counted = random_table(sizes, num_rows, 5);
    CodedTable expanded(sizes);
    std::mt19937 random(6);
    for (size_t row = 0; row < num_rows; ++row) {
      counted.counts.push_back(1 + static_cast<uint32_t>(random() % 4));
      for (uint32_t i = 0; i < counted.counts.back(); ++i) {
        for (size_t c = 0; c < sizes.size(); ++c)
          expanded.columns[c].append(counted.columns[c].code(row));
        ++expanded.num_records;
      }
    }
    EXPECT_EQ(counted.total_records(), expanded.num_records);
    Sets sets = sets_of_degree(static_cast<int>(sizes.size()), 3);
    sets.push_back({});
    sets.push_back({1});
    sets.push_back({4, 0});
    for (const int threads : {1, 2})
      EXPECT_EQ(count_all(counted, sets, threads), count_all(expanded, sets, threads)) << num_rows;
  }
}

TEST(MarginalCounts, OneRecordMoreInACountChangesOneCellByOne) {
  CodedTable table = random_table({3, 4, 5}, 100, 3);
  table.counts.assign(100, 7);
  const std::vector<uint32_t> before = count_marginal(table, {0, 1, 2});
  ++table.counts[42];
  const std::vector<uint32_t> after = count_marginal(table, {0, 1, 2});
  uint32_t change = 0;
  for (size_t cell = 0; cell < before.size(); ++cell) change += after[cell] - before[cell];
  EXPECT_EQ(change, 1U);
}

TEST(MarginalCounts, WhatIsWrongWithASetIsSaid) {
  const CodedTable table = random_table({65'536, 65'536, 2}, 1, 1);
  const auto error = [&](const std::vector<int>& set) {
    return error_of(ErrorKind::kUsage, [&] { count_marginal(table, set); });
  };
  EXPECT_THAT(error({3}),
              HasSubstr("[synth.marginal_counts] a marginal's columns must be from 0 to 2"));
  EXPECT_THAT(error({-1}), HasSubstr("got -1"));
  EXPECT_THAT(error({2, 2}), HasSubstr("got column 2 twice"));
  EXPECT_THAT(error({0, 1}), HasSubstr("at most 2147483648 cells"));
  EXPECT_ERROR(kUsage, HasSubstr("got 65537"), CodedTable({65'537}));
  EXPECT_ERROR(kUsage, HasSubstr("got 0"), CodedTable({0}));
}

TEST(MarginalCounts, SetsOfADegreeAreAllAscendingOnes) {
  EXPECT_THAT(sets_of_degree(4, 3), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(0, 1, 3),
                                                ElementsAre(0, 2, 3), ElementsAre(1, 2, 3)));
  EXPECT_THAT(sets_of_degree(3, 3), ElementsAre(ElementsAre(0, 1, 2)));
  EXPECT_EQ(sets_of_degree(14, 3).size(), 364U);
  EXPECT_EQ(feasible_degree(3, 4), 3);
  EXPECT_EQ(feasible_degree(3, 0), 1);
  EXPECT_EQ(feasible_degree(182, 3), 3);
  EXPECT_EQ(sets_of_degree(182, 3).size(), 988'260U);
  EXPECT_EQ(feasible_degree(183, 3), 2);
  EXPECT_EQ(feasible_degree(183, 40), 2);
  EXPECT_EQ(feasible_degree(1415, 2), 1);
  EXPECT_EQ(feasible_degree(25, 24), 7);  // of 8 to 17 there are more than a million
  EXPECT_EQ(feasible_degree(14, 14), 14);
  EXPECT_ERROR(kUsage, HasSubstr("got 4"), sets_of_degree(3, 4));
  EXPECT_ERROR(kUsage, HasSubstr("got 0"), sets_of_degree(3, 0));
  EXPECT_ERROR(kUsage, HasSubstr("at most 1000000 marginals"), sets_of_degree(1000, 3));
}

TEST(MarginalCounts, Vectors) {
  EQUINOISE_VECTORS(cases, "steps/marginals.json");
  int num_cases = 0;
  for (const auto& item : cases) {
    if (item["kind"] != "marginals") continue;
    const CodedTable table = coded_table(item["domain"].get<std::vector<size_t>>(), item["rows"]);
    for (const auto& [degree, marginals] : item["expected"].items()) {
      for (const auto& marginal : marginals) {
        EXPECT_EQ(count_marginal(table, marginal["attributes"].get<std::vector<int>>()),
                  marginal["counts"].get<std::vector<uint32_t>>())
            << item["id"] << degree;
        ++num_cases;
      }
    }
  }
  EXPECT_GT(num_cases, 0);
}

TEST(WorkloadError, Vectors) {
  EQUINOISE_VECTORS(cases, "steps/marginals.json");
  int num_cases = 0;
  for (const auto& item : cases) {
    if (item["kind"] != "workload_error") continue;
    const auto sizes = item["domain"].get<std::vector<size_t>>();
    const CodedTable real = coded_table(sizes, item["rows_real"]);
    const CodedTable synthetic = coded_table(sizes, item["rows_synthetic"]);
    for (const auto& [key, expected] : item["expected"].items()) {
      const int degree = key.back() - '0';
      const Sets sets = sets_of_degree(static_cast<int>(sizes.size()), degree);
      ASSERT_EQ(sets.size(), expected["marginals"].get<size_t>());
      const std::vector<double> distances = marginal_distances(real, synthetic, sets, 2);
      for (size_t i = 0; i < sets.size(); ++i) {
        testing::expect_close(distances[i], expected["total_variation"][i], item["tolerance"], key);
      }
      testing::expect_close(workload_error(distances), expected["workload_error"],
                            item["tolerance"], key);
      ++num_cases;
    }
  }
  EXPECT_GT(num_cases, 0);
}

TEST(WorkloadError, RecordsCountByTheirWeights) {
  const CodedTable real = random_table({2, 3, 4}, 40, 1);
  const CodedTable synthetic = random_table({2, 3, 4}, 60, 2);
  CodedTable copied({2, 3, 4});
  std::vector<double> weights;
  for (size_t record = 0; record < real.num_records; ++record) {
    weights.push_back(static_cast<double>(record % 3 + 1) / 8);
    for (size_t copy = 0; copy < record % 3 + 1; ++copy, ++copied.num_records)
      for (size_t j = 0; j < 3; ++j) copied.columns[j].append(real.columns[j].code(record));
  }
  const Sets sets = sets_of_degree(3, 2);
  const std::vector<double> expected = marginal_distances(copied, synthetic, sets, 1);
  const std::vector<double> found = marginal_distances({real, weights}, synthetic, sets, 2);
  const std::vector<double> turned = marginal_distances(synthetic, {real, weights}, sets, 2);
  const std::vector<double> equal(60, 0.2);
  const std::vector<double> plain = marginal_distances(real, {synthetic, equal}, sets, 1);
  for (size_t i = 0; i < sets.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-12);
    EXPECT_NEAR(turned[i], expected[i], 1e-12);
    EXPECT_NEAR(plain[i], marginal_distances(real, synthetic, sets, 1)[i], 1e-12);
  }
}

TEST(WorkloadError, WithoutRecords) {
  const CodedTable none({2, 2});
  const CodedTable some = random_table({2, 2}, 10, 1);
  const Sets sets = {{0}, {0, 1}};
  EXPECT_THAT(marginal_distances(some, none, sets, 1), ElementsAre(1, 1));
  // Nothing is near or far from nobody.
  for (const double distance : marginal_distances(none, none, sets, 1))
    EXPECT_TRUE(std::isnan(distance));
  EXPECT_THAT(marginal_distances(some, some, sets, 1), ElementsAre(0, 0));
  EXPECT_TRUE(std::isnan(workload_error({})));
  EXPECT_ERROR(kUsage, HasSubstr("the same attributes"),
               marginal_distances(none, CodedTable({2}), sets, 1));
}

}  // namespace equinoise::marginal_counts_test
