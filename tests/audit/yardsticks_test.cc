// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/yardsticks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace equinoise::yardsticks_test {

uint64_t sum_of(const std::vector<uint32_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

/// A row for each record.
std::vector<uint32_t> expanded(const std::vector<uint32_t>& counts) {
  return std::vector<uint32_t>(sum_of(counts), 1);
}

/// What the records of each row have together.
std::vector<uint32_t> together(const std::vector<uint32_t>& of_records,
                               const std::vector<uint32_t>& counts) {
  std::vector<uint32_t> sums;
  auto record = of_records.begin();
  for (const uint32_t count : counts) {
    sums.push_back(std::accumulate(record, record + count, 0U));
    record += count;
  }
  return sums;
}

TEST(Yardsticks, BootstrapsDrawRecordsThatCount) {
  const std::vector<uint32_t> counts = {2, 0, 2, 2, 0, 2};
  const std::vector<uint32_t> drawn = bootstrap_counts(counts, 0);
  EXPECT_EQ(drawn[1] + drawn[4], 0U);
  EXPECT_EQ(sum_of(drawn), 8U);
  EXPECT_EQ(bootstrap_counts(counts, 0), drawn);
  const std::vector<uint32_t> many(1000, 1);
  EXPECT_NE(bootstrap_counts(many, 0), bootstrap_counts(many, 1));
  EXPECT_TRUE(bootstrap_counts({}, 0).empty());
}

TEST(Yardsticks, HalvesShareTheRecordsThatCount) {
  std::vector<uint32_t> counts(101, 1);
  counts[7] = 0;
  counts[8] = 4;
  const Halves halves = half_counts(counts);
  for (size_t row = 0; row < counts.size(); ++row)
    EXPECT_EQ(halves.first[row] + halves.second[row], counts[row]);
  EXPECT_EQ(sum_of(halves.first), 51U);
  EXPECT_EQ(sum_of(half_counts(std::vector<uint32_t>{1, 1, 1}).first), 1U);
  EXPECT_TRUE(half_counts({}).first.empty());
}

/// Rows of many records and of few, that begin and end anywhere.
TEST(Yardsticks, CountedRowsHaveWhatTheirRecordsWouldHave) {
  std::vector<uint32_t> counts;
  for (uint32_t i = 0; i < 400; ++i) counts.push_back(i % 7 == 0 ? 0 : i % 11 == 0 ? 900 : i % 5);
  const std::vector<uint32_t> records = expanded(counts);
  for (int draw = 0; draw < kNumBootstraps; ++draw)
    EXPECT_EQ(bootstrap_counts(counts, draw), together(bootstrap_counts(records, draw), counts));
  EXPECT_EQ(half_counts(counts).first, together(half_counts(records).first, counts));
}

/// Within four standard deviations.
TEST(Yardsticks, DrawsFallUponRecordsAsChanceHasIt) {
  constexpr size_t kRecords = 100'000;
  const std::vector<uint32_t> one_each(kRecords, 1);
  for (int draw = 0; draw < kNumBootstraps; ++draw) {
    const std::vector<uint32_t> drawn = bootstrap_counts(one_each, draw);
    // How often a record is drawn is binomial with mean 1: never is exp(-1), twice half of it.
    const auto share = [&](uint32_t times) {
      return static_cast<double>(std::ranges::count(drawn, times)) / kRecords;
    };
    EXPECT_NEAR(share(0), std::exp(-1), 0.005);
    EXPECT_NEAR(share(2), std::exp(-1) / 2, 0.005);
    EXPECT_NEAR(share(4), std::exp(-1) / 24, 0.002);
  }
  // In blocks of 1,000 the sums of a bootstrap vary by 1,000, those of a half by 250.
  const auto variance = [&](const std::vector<uint32_t>& drawn, double mean) {
    double squares = 0;
    for (size_t begin = 0; begin < kRecords; begin += 1000) {
      const auto first = drawn.begin() + static_cast<std::ptrdiff_t>(begin);
      squares += std::pow(std::accumulate(first, first + 1000, 0.0) - mean, 2);
    }
    return squares / 100;
  };
  EXPECT_NEAR(variance(bootstrap_counts(one_each, 0), 1000) / 1000, 1, 4 * std::sqrt(0.02));
  EXPECT_NEAR(variance(half_counts(one_each).first, 500) / 250, 1, 4 * std::sqrt(0.02));
}

TEST(Yardsticks, OfBillionsOfRecordsTakeNoLongerThanTheirRows) {
  const std::vector<uint32_t> counts = {2'000'000'000, 1, 294'967'293, 2'000'000'000};
  const auto start = std::chrono::steady_clock::now();
  const std::vector<uint32_t> drawn = bootstrap_counts(counts, 0);
  const Halves halves = half_counts(counts);
  EXPECT_EQ(sum_of(drawn), sum_of(counts));
  EXPECT_EQ(sum_of(halves.first), sum_of(counts) / 2);
  for (const size_t row : {size_t{0}, size_t{2}, size_t{3}}) {
    EXPECT_NE(drawn[row], counts[row]);
    EXPECT_NEAR(drawn[row], counts[row], 5 * std::sqrt(counts[row]));
    EXPECT_NEAR(halves.first[row], counts[row] / 2.0, 5 * std::sqrt(counts[row]));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

/// Six units of 0 to 3 records; one of them has none that counts.
TEST(Yardsticks, UnitsAreDrawnWhole) {
  const std::vector<uint32_t> units = {0, 3, 4, 4, 6, 8, 11};
  const std::vector<uint32_t> counts = {1, 1, 1, 1, 0, 0, 1, 0, 1, 1, 1};
  const std::vector<uint8_t> is_kept(counts.begin(), counts.end());
  EXPECT_EQ(units_of_kept(units, is_kept), (std::vector<uint32_t>{0, 3, 4, 5, 8}));
  EXPECT_TRUE(units_of_kept({}, is_kept).empty());
  const auto times_of = [&](const std::vector<uint32_t>& drawn, size_t unit) {
    std::vector<uint32_t> times;
    for (size_t record = units[unit]; record < units[unit + 1]; ++record)
      if (counts[record] > 0) times.push_back(drawn[record]);
    return times;
  };
  for (int draw = 0; draw < kNumBootstraps; ++draw) {
    const std::vector<uint32_t> drawn = bootstrap_counts(counts, draw, units);
    EXPECT_EQ(drawn[4] + drawn[5] + drawn[7], 0U);
    uint32_t num_drawn = 0;
    for (size_t unit = 0; unit + 1 < units.size(); ++unit) {
      const std::vector<uint32_t> times = times_of(drawn, unit);
      if (times.empty()) continue;
      num_drawn += times.front();
      EXPECT_EQ(times, std::vector<uint32_t>(times.size(), times.front())) << draw << " " << unit;
    }
    EXPECT_EQ(num_drawn, 4U) << draw;
  }
  const Halves halves = half_counts(counts, units);
  int num_first = 0;
  for (size_t unit = 0; unit + 1 < units.size(); ++unit) {
    const std::vector<uint32_t> times = times_of(halves.first, unit);
    if (times.empty()) continue;
    num_first += times.front() > 0 ? 1 : 0;
    EXPECT_EQ(times, std::vector<uint32_t>(times.size(), times.front())) << unit;
  }
  EXPECT_EQ(num_first, 2);
  for (size_t record = 0; record < counts.size(); ++record)
    EXPECT_EQ(halves.first[record] + halves.second[record], counts[record]);
}

}  // namespace equinoise::yardsticks_test
