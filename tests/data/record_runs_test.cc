// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/record_runs.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/small_tables.h"

namespace equinoise::record_runs_test {
namespace {

/// 4 + 1 + 3 records of three rows.
EncodedTable shared_rows() {
  EncodedTable table;
  table.num_records = 8;
  table.num_dense = table.num_features = 1;
  table.dense = {0.5, 0.25, 0.75};
  table.rows = {0, 0, 0, 0, 1, 2, 2, 2};
  table.labels = {1, 1, 1, 1, 0, 1, 1, 1};
  table.contributes.assign(8, 1);
  return table;
}

std::vector<int64_t> counts_of(const EncodedTable& table) {
  const RecordRuns runs(table);
  std::vector<int64_t> counts;
  size_t next = 0;
  for (size_t run = 0; run < runs.size(); ++run) {
    EXPECT_EQ(runs.first(run), next);
    counts.push_back(runs.count(run));
    next += static_cast<size_t>(runs.count(run));
  }
  EXPECT_EQ(std::ssize(table.contributes), static_cast<int64_t>(next));
  return counts;
}

TEST(RecordRuns, AreRecordsThatAreEqualInAll) {
  EXPECT_EQ(counts_of(shared_rows()), (std::vector<int64_t>{4, 1, 3}));
  EncodedTable table = shared_rows();
  table.labels[1] = 0;
  EXPECT_EQ(counts_of(table), (std::vector<int64_t>{1, 1, 2, 1, 3}));
  table = shared_rows();
  table.contributes[3] = 0;
  EXPECT_EQ(counts_of(table), (std::vector<int64_t>{3, 1, 1, 3}));
  table = shared_rows();
  table.targets = {1, 1, 1, 1, 1, 1, 2, 2};
  EXPECT_EQ(counts_of(table), (std::vector<int64_t>{4, 1, 1, 2}));
  table.groups.assign(8, GroupId(1));
  table.groups[0] = GroupId(0);
  EXPECT_EQ(counts_of(table), (std::vector<int64_t>{1, 3, 1, 1, 2}));
}

TEST(RecordRuns, AreSingleRecordsWithoutSharedRows) {
  const EncodedTable table = testing::mixed_table(3, 1);
  EXPECT_EQ(counts_of(table), (std::vector<int64_t>{1, 1, 1}));
  RecordRuns::Memory memory;
  const std::vector<uint32_t> batch = {0, 2};
  const CountedRecords merged = RecordRuns(table).merge(batch, memory);
  EXPECT_EQ(merged.records.data(), batch.data());
  EXPECT_TRUE(merged.counts.empty());
  EXPECT_EQ(merged.count(1), 1);
}

TEST(RecordRuns, MergeWhatStandsTogetherInABatch) {
  const EncodedTable table = shared_rows();
  const RecordRuns runs(table);
  RecordRuns::Memory memory;
  const auto merged = [&](const std::vector<uint32_t>& batch) {
    const CountedRecords found = runs.merge(batch, memory);
    std::vector<std::pair<uint32_t, int64_t>> pairs;
    for (size_t i = 0; i < found.size(); ++i) pairs.emplace_back(found.records[i], found.count(i));
    return pairs;
  };
  using Pairs = std::vector<std::pair<uint32_t, int64_t>>;
  EXPECT_EQ(merged(testing::all_records(table)), (Pairs{{0, 4}, {4, 1}, {5, 3}}));
  EXPECT_EQ(merged({0, 1, 2, 6}), (Pairs{{0, 3}, {6, 1}}));
  // Little would be saved.
  EXPECT_EQ(merged({0, 4, 5, 6}), (Pairs{{0, 1}, {4, 1}, {5, 1}, {6, 1}}));
  EXPECT_EQ(merged({}), Pairs{});
  const std::vector<uint32_t> all = testing::all_records(table);
  const CountedRecords part = runs.merge(all, memory).subspan(1, 2);
  EXPECT_EQ(part.records[1], 5U);
  EXPECT_EQ(part.count(1), 3);
}

}  // namespace
}  // namespace equinoise::record_runs_test
