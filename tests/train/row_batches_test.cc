// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/row_batches.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/small_tables.h"

namespace equinoise::row_batches_test {

const std::vector<uint32_t> kCounts = {4, 1, 90, 1, 3};

EncodedTable counted_table() {
  EncodedTable table = testing::mixed_table(std::ssize(kCounts), 1);
  table.row_counts = kCounts;
  return table;
}

/// How many of each row's records a batch holds.
std::map<uint32_t, int64_t> counts_of(const CountedRecords& batch) {
  std::map<uint32_t, int64_t> counts;
  for (size_t i = 0; i < batch.size(); ++i) counts[batch.records[i]] += batch.count(i);
  return counts;
}

std::vector<BatchPermit> permits_at(double rate, const SeededSource& source) {
  return Charge::unpaid({Event::poisson_sampled(rate, {Event::gaussian(1)})}, Relation::kZeroOut,
                        source)
      .next_batches(0);
}

TEST(RowBatches, HoldTheRecordsThatATableWithoutCountsWouldGive) {
  const EncodedTable table = counted_table();
  const EncodedTable expanded = testing::mixed_table(99, 1);
  for (const double rate : {0.02, 0.5, 1.0}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      RowBatches of_rows(table);
      RowBatches of_records(expanded);
      SeededSource source(seed);
      SeededSource same(seed);
      std::vector<BatchPermit> permits = permits_at(rate, source);
      std::vector<BatchPermit> others = permits_at(rate, same);
      std::map<uint32_t, int64_t> expected;
      for (const uint32_t record : of_records.draw(others, same).records)
        ++expected[of_rows.row_of(record)];
      EXPECT_EQ(counts_of(of_rows.draw(permits, source)), expected) << rate;
      EXPECT_EQ(source.next(), same.next()) << rate;
      SeededSource free(seed);
      EXPECT_EQ(counts_of({of_rows.draw_freely(rate, free)}), expected) << rate;
    }
  }
}

/// Counts cost more for each row than they spare where few records are equal.
TEST(RowBatches, CountOnlyWhereThatSparesHalf) {
  EncodedTable table = testing::mixed_table(100, 1);
  SeededSource source(1);
  for (const uint32_t count : {1U, 2U, 50U}) {
    table.row_counts.assign(100, count);
    RowBatches batches(table);
    std::vector<BatchPermit> permits = permits_at(1, source);
    const CountedRecords batch = batches.draw(permits, source);
    EXPECT_EQ(batch.counts.empty(), count == 1);
    EXPECT_EQ(batch.size(), 100U);
  }
}

TEST(RowBatches, OfAllAreAllRowsWithTheirCounts) {
  const EncodedTable table = counted_table();
  RowBatches batches(table);
  const CountedRecords all = batches.all();
  EXPECT_EQ(std::vector<uint32_t>(all.records.begin(), all.records.end()),
            (std::vector<uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(std::vector<uint32_t>(all.counts.begin(), all.counts.end()), kCounts);
  EXPECT_EQ(all.repeated().size(), 99U);
  EXPECT_EQ(batches.row_of(3), 0U);
  EXPECT_EQ(batches.row_of(4), 1U);
  EXPECT_EQ(batches.row_of(98), 4U);
  const EncodedTable single = testing::mixed_table(3, 1);
  RowBatches of_records(single);
  EXPECT_EQ(of_records.row_of(2), 2U);
  EXPECT_TRUE(of_records.all().counts.empty());
}

}  // namespace equinoise::row_batches_test
