// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/pass.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "equinoise/privacy/random/source.h"

namespace equinoise::pass_test {

constexpr size_t kNumStrata = 3;

/// Numbers of several columns, some of them extreme; the records of stratum 3 are null.
struct Table {
  std::vector<std::vector<double>> columns;
  std::vector<uint32_t> strata;

  Table(size_t num_records, size_t num_columns) : columns(num_columns) {
    SeededSource source(17);
    for (size_t i = 0; i < num_records; ++i)
      strata.push_back(static_cast<uint32_t>(source.next() % (kNumStrata + 1)));
    for (std::vector<double>& column : columns) {
      for (size_t i = 0; i < num_records; ++i)
        column.push_back(static_cast<double>(source.next() % 4000) * 0.01 - 20);
      column[num_records / 2] = std::numeric_limits<double>::quiet_NaN();
      column[num_records / 3] = std::numeric_limits<double>::infinity();
      column[num_records / 4] = -std::numeric_limits<double>::max();
    }
  }
  StratifiedRecords view() const {
    return {strata.size(), {columns.begin(), columns.end()}, strata, kNumStrata};
  }
};

Answer by_definition(const Table& table, const SumQuery& query) {
  Answer answer{std::vector<int64_t>(kNumStrata), std::vector<int64_t>(kNumStrata)};
  for (size_t i = 0; i < table.strata.size(); ++i) {
    if (table.strata[i] == kNumStrata) continue;
    const ClipRange& range = query.ranges[table.strata[i]];
    if (range.half_units == 0) continue;
    const double scaled = (table.columns[query.column][i] - range.centre) / range.grid;
    const auto half = static_cast<double>(range.half_units);
    // NaN counts as the least.
    const double clipped = scaled > -half ? std::min(scaled, half) : -half;
    answer.values[table.strata[i]] += static_cast<int64_t>(std::nearbyint(clipped));
    if (query.counts_clipped && !(std::fabs(scaled) < half + 1))
      ++answer.num_clipped[table.strata[i]];
  }
  return answer;
}

std::vector<ClipRange> same_ranges(double lower, double upper) {
  return std::vector<ClipRange>(kNumStrata, ClipRange::within(lower, upper, kMaxUnits));
}

std::vector<ClipRange> other_ranges(double lower) {
  return {ClipRange::within(lower, 3, 1000), {}, ClipRange::within(-1, 1, 0x1p20)};
}

TEST(AnswerQueries, SumsAreThoseOfTheDefinitionHoweverManyColumnsStandSideBySide) {
  for (size_t num_columns = 1; num_columns <= 9; ++num_columns) {
    const Table table(20'000, num_columns);
    for (const bool counts : {false, true}) {
      for (const bool same : {false, true}) {
        std::vector<Query> queries;
        for (size_t j = 0; j < num_columns; ++j) {
          const auto lower = -10 - static_cast<double>(j);
          queries.emplace_back(
              SumQuery{j, same ? same_ranges(lower, 5) : other_ranges(lower), counts});
        }
        for (const int threads : {1, 2}) {
          const std::vector<Answer> answers = answer_queries(table.view(), queries, threads);
          for (size_t j = 0; j < num_columns; ++j) {
            const Answer want = by_definition(table, std::get<SumQuery>(queries[j]));
            EXPECT_EQ(answers[j].values, want.values) << j << " of " << num_columns;
            EXPECT_EQ(answers[j].num_clipped, want.num_clipped) << j << " of " << num_columns;
          }
        }
      }
    }
  }
}

TEST(AnswerQueries, QueriesOfAllKindsShareAPass) {
  const Table table(140'000, 2);
  const std::vector<Query> queries = {
      SumQuery{1, same_ranges(-7, 9), true}, CountQuery{}, SumQuery{0, other_ranges(-3), false},
      HistogramQuery{0, -20, 20, 4}, SumQuery{0, same_ranges(-7, 9), true}};
  const std::vector<Answer> answers = answer_queries(table.view(), queries, 2);
  for (const size_t q : {0, 2, 4}) {
    const Answer want = by_definition(table, std::get<SumQuery>(queries[q]));
    EXPECT_EQ(answers[q].values, want.values);
    EXPECT_EQ(answers[q].num_clipped, want.num_clipped);
  }
  for (size_t k = 0; k < kNumStrata; ++k) {
    int64_t sum = 0;
    for (size_t cell = 0; cell < 4; ++cell) sum += answers[3].values[4 * k + cell];
    EXPECT_EQ(sum, answers[1].values[k]);
    EXPECT_EQ(answers[1].values[k], std::ranges::count(table.strata, static_cast<uint32_t>(k)));
  }
}

/// Queries of all kinds about two columns.
std::vector<Query> all_queries() {
  const ClipBall ball = ClipBall::around({1, -2}, 1.5, 0x1p20);
  return {SumQuery{1, same_ranges(-7, 9), false},
          SumQuery{1, same_ranges(-7, 9), true},
          SumQuery{0, other_ranges(-3), false},
          SumQuery{1, other_ranges(-3), true},
          CountQuery{},
          WeightedSumQuery{0, other_ranges(-3), {1000, 1, kMaxWeightUnits}},
          BallQuery{{0, 1}, {4, 5}, std::vector<ClipBall>(kNumStrata, ball)},
          HistogramQuery{0, -20, 20, 40}};
}

TEST(AnswerQueries, RowsThatStandForSeveralRecordsAnswerAsTheseDo) {
  const Table table(3000, 2);
  Table expanded(0, 0);
  expanded.columns.resize(2);
  std::vector<uint32_t> counts;
  std::vector<double> weights;
  std::vector<double> expanded_weights;
  SeededSource source(18);
  for (size_t i = 0; i < table.strata.size(); ++i) {
    counts.push_back(1 + static_cast<uint32_t>(source.next() % 60));
    weights.push_back(static_cast<double>(source.next() % 1000) / 999);
    for (uint32_t copy = 0; copy < counts.back(); ++copy) {
      for (size_t j = 0; j < 2; ++j) expanded.columns[j].push_back(table.columns[j][i]);
      expanded.strata.push_back(table.strata[i]);
      expanded_weights.push_back(weights.back());
    }
  }
  StratifiedRecords counted = table.view();
  counted.counts = counts;
  counted.weights = weights;
  StratifiedRecords one_by_one = expanded.view();
  one_by_one.weights = expanded_weights;
  const std::vector<Query> queries = all_queries();
  const std::vector<Answer> answers = answer_queries(counted, queries, 1);
  const std::vector<Answer> wanted = answer_queries(one_by_one, queries, 2);
  for (size_t q = 0; q < queries.size(); ++q) {
    EXPECT_EQ(answers[q].values, wanted[q].values) << q;
    EXPECT_EQ(answers[q].num_clipped, wanted[q].num_clipped) << q;
    EXPECT_EQ(answers[q].weights, wanted[q].weights) << q;
  }
}

TEST(AnswerQueries, OneRecordMoreInACountChangesSumsByNoMoreThanARecord) {
  const Table table(200, 2);
  std::vector<uint32_t> counts(200, 1000);
  StratifiedRecords records = table.view();
  records.counts = counts;
  const std::vector<Query> queries = all_queries();
  const std::vector<Answer> before = answer_queries(records, queries, 1);
  for (const size_t row : {0UL, 50UL, 66UL, 100UL, 199UL}) {  // the extreme ones, too
    ++counts[row];
    const std::vector<Answer> after = answer_queries(records, queries, 1);
    --counts[row];
    for (size_t q = 0; q < 4; ++q) {
      const auto& query = std::get<SumQuery>(queries[q]);
      for (size_t k = 0; k < kNumStrata; ++k)
        EXPECT_LE(std::abs(after[q].values[k] - before[q].values[k]), query.ranges[k].half_units);
    }
    for (const size_t q : {4UL, 7UL}) {
      int64_t change = 0;
      for (size_t i = 0; i < before[q].values.size(); ++i)
        change += after[q].values[i] - before[q].values[i];
      EXPECT_EQ(change, table.strata[row] == kNumStrata ? 0 : 1);
    }
  }
}

TEST(AnswerQueries, TheMostRecordsFitIntoASumOfCounts) {
  const ClipRange range = ClipRange::within(-1, 1, kMaxUnits);
  const std::vector<double> column = {1, -1};
  const std::vector<uint32_t> strata = {0, 1};
  const std::vector<uint32_t> counts = {2'147'483'647, 2'147'483'647};
  StratifiedRecords records{2, {column}, strata, 2};
  records.counts = counts;
  const std::vector<Query> queries = {SumQuery{0, {range, range}, true},
                                      WeightedSumQuery{0, {range, range}, {kMaxWeightUnits, 1}}};
  const std::vector<Answer> answers = answer_queries(records, queries, 1);
  const int64_t sum = int64_t{2'147'483'647} << 30;
  EXPECT_EQ(answers[0].values, (std::vector<int64_t>{sum, -sum}));
  EXPECT_EQ(answers[1].values, (std::vector<int64_t>{sum, -sum}));
  EXPECT_EQ(answers[1].weights,
            (std::vector<int64_t>{int64_t{2'147'483'647} * kMaxWeightUnits, 2'147'483'647}));
}

// Doubles hold all integers up to 2^53: beyond, a last term of 1 would be lost.
TEST(AnswerQueries, ManyLargeTermsStayExact) {
  constexpr size_t kRecords = (size_t{1} << 23) + 5;
  const ClipRange range = ClipRange::within(-1, 1, 0x1p30);
  std::vector<double> column(kRecords, 1.0);
  column.back() = 0x1p-30;
  const std::vector<uint32_t> strata(kRecords, 0);
  const StratifiedRecords records{kRecords, {column, column}, strata, 1};
  for (const bool counts : {false, true}) {
    const std::vector<Query> queries = {SumQuery{0, {range}, counts}, SumQuery{1, {range}, counts}};
    for (const Answer& answer : answer_queries(records, queries, 1)) {
      EXPECT_EQ(answer.values[0], static_cast<int64_t>(kRecords - 1) * range.half_units + 1);
    }
  }
}

}  // namespace equinoise::pass_test
