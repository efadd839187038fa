// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/marginal_source.h"

#include <cmath>
#include <numeric>

#include "equinoise/synth/rare_values.h"
#include "tests/synth/coded_tables.h"
#include "tests/test_support.h"

namespace equinoise::marginal_source_test {

using testing::coded_table;
using testing::random_table;
using Sets = std::vector<std::vector<int>>;

const std::vector<size_t> kSizes = {4, 300, 3};
const Sets kSets = {{0}, {1}, {0, 2}, {0, 1}, {}};

std::vector<std::vector<uint32_t>> counts_of(const MarginalSource& records, const Sets& sets,
                                             int threads = 1) {
  std::vector<std::vector<uint32_t>> result(sets.size());
  records.count(sets, threads, [&](size_t index, std::span<const uint32_t> counts) {
    result[index].assign(counts.begin(), counts.end());
  });
  return result;
}

TEST(MarginalSource, BlocksAddUpToTheCountsOfTheirRecords) {
  const CodedTable all = random_table(kSizes, 5000, 3);
  KeptMarginals kept(kSizes, kSets);
  for (const size_t begin : {0, 1, 700}) {
    const size_t end = begin == 0 ? 1 : begin == 1 ? 700 : 5000;
    CodedTable block(kSizes);
    for (size_t row = begin; row < end; ++row)
      for (size_t i = 0; i < kSizes.size(); ++i) block.columns[i].append(all.columns[i].code(row));
    block.num_records = end - begin;
    kept.add(block, 2);
  }
  const TableMarginals table(all);
  EXPECT_EQ(counts_of(kept, kSets, 2), counts_of(table, kSets));
  EXPECT_EQ(kept.total_records(), 5000);
  EXPECT_EQ(table.total_records(), 5000);
  EXPECT_EQ(kept.count({0, 2}), table.count({0, 2}));
  EXPECT_EQ(kept.sizes(), table.sizes());
}

TEST(MarginalSource, NobodyIsCountedAsNobody) {
  const KeptMarginals kept({2, 2}, {{0, 1}});
  EXPECT_EQ(kept.count({0, 1}), std::vector<uint32_t>(4, 0));
  EXPECT_EQ(kept.total_records(), 0);
}

TEST(MarginalSource, WhatWasNotCountedIsRefused) {
  const KeptMarginals kept({2, 2}, {{0}});
  EXPECT_ERROR(kRuntime, HasSubstr("not counted"), static_cast<void>(kept.count({0, 1})));
}

TEST(MarginalSource, RowsThatStandForSeveralRecordsCountAsSo) {
  CodedTable table = coded_table({2, 2}, {{0, 1}, {1, 1}});
  table.counts = {3'000'000'000, 7};
  KeptMarginals kept({2, 2}, {{1}, {0, 1}});
  kept.add(table, 1);
  EXPECT_EQ(kept.count({1}), (std::vector<uint32_t>{0, 3'000'000'007}));
  EXPECT_EQ(kept.total_records(), 3'000'000'007);
}

/// Where many cells are few records are kept, so that the memory that is taken is small.
TEST(MarginalSource, CountsAreKeptWhereTheyTakeLittle) {
  EXPECT_EQ(KeptMarginals::bytes({10, 20}, Sets{{0}, {0, 1}}), 4 * 210);
  EXPECT_EQ(KeptMarginals::bytes({60'000, 60'000}, Sets{{0, 1}}), HUGE_VAL);
  const auto is_kept = [](const Sets& sets) {
    const auto source = marginals_of(random_table({5000, 5000, 2}, 100, 1), sets, 1);
    return dynamic_cast<const KeptMarginals*>(source.get()) != nullptr;
  };
  EXPECT_TRUE(is_kept({{0}, {1, 2}}));
  EXPECT_FALSE(is_kept({{0}, {0, 1}}));
}

TEST(MarginalSource, PooledCodesAreCountedTogether) {
  const CodedTable table = random_table({4, 6, 2}, 3000, 9);
  const std::vector<uint16_t> of_first = {1, 3};
  const std::vector<uint16_t> of_second = {0, 4, 5};
  const std::vector<RareValues> values = {pool_codes(4, of_first), pool_codes(6, of_second),
                                          keep_all(2)};
  CodedTable pooled({3, 4, 2});
  for (size_t row = 0; row < table.num_records; ++row) {
    for (size_t i = 0; i < values.size(); ++i)
      pooled.columns[i].append(values[i].code_of[table.columns[i].code(row)]);
  }
  pooled.num_records = table.num_records;
  const Sets sets = {{0}, {0, 1}, {1, 2}, {0, 1, 2}, {}};
  KeptMarginals kept(table.sizes(), sets);
  kept.add(table, 1);
  const TableMarginals records(table);
  for (const MarginalSource* source :
       std::initializer_list<const MarginalSource*>{&kept, &records}) {
    const std::unique_ptr<MarginalSource> own = source->pooled(values);
    EXPECT_EQ(counts_of(*own, sets, 2), counts_of(TableMarginals(pooled), sets));
    EXPECT_EQ(own->sizes(), pooled.sizes());
    EXPECT_EQ(own->total_records(), 3000);
  }
}

/// Of codes that few records have it is the pooled ones that must fit, which is known only after
/// they were measured and paid for.
TEST(MarginalSource, PairsOfManyCodesAreCountedByPooledOnes) {
  const CodedTable table = random_table({60'000, 60'000}, 300, 4);
  std::vector<uint16_t> rare;
  for (uint16_t code = 100; code < 60'000; ++code) rare.push_back(code);
  const std::vector<RareValues> values(2, pool_codes(60'000, rare));
  const auto records = marginals_of(table, {{0}, {1}, {0, 1}}, 1);
  const std::unique_ptr<MarginalSource> pooled = records->pooled(values);
  const std::vector<uint32_t> counts = pooled->count({0, 1});
  EXPECT_EQ(counts.size(), 101 * 101);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0U), 300U);
}

}  // namespace equinoise::marginal_source_test
