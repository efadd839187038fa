// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/constraint_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "tests/constraints/constraint_cases.h"

namespace equinoise::constraint_check_test {

using testing::compiled;

/// 40 women of whom 10 are predicted positive, 60 men of whom 30 are, and a null record.
struct Given {
  Given() {
    for (int i = 0; i < 101; ++i) {
      const bool is_woman = i < 40;
      contexts.push_back(GroupId(is_woman ? 0 : 1));
      table.labels.push_back(static_cast<uint16_t>(i % 2));
      table.contributes.push_back(i < 100 ? 1 : 0);
      predictions.predicted.push_back(is_woman ? i < 10 : i < 70 || i == 100);
    }
    table.num_records = 101;
  }

  std::vector<ConstraintCheck> check(const std::string& line) const {
    return check_constraints(compiled(line), table, contexts, predictions);
  }

  EncodedTable table;
  std::vector<GroupId> contexts;
  Predictions predictions;
};

TEST(ConstraintCheck, ValuesAreThoseOfPredictedClasses) {
  const auto checks = Given().check("demographic_parity:sex:0.3");
  ASSERT_EQ(checks.size(), 2);
  EXPECT_DOUBLE_EQ(checks[0].value.value, -0.25);
  EXPECT_DOUBLE_EQ(checks[1].value.value, 0.25);
  // Score intervals 10 of 40: [0.1419, 0.4019], 30 of 60: [0.3773, 0.6227].
  EXPECT_NEAR(checks[1].value.interval.low, 0.25 - std::hypot(0.4019 - 0.25, 0.5 - 0.3773), 1e-4);
  EXPECT_NEAR(checks[1].value.interval.high, 0.25 + std::hypot(0.25 - 0.1419, 0.6227 - 0.5), 1e-4);
}

TEST(ConstraintCheck, WeightsCountRecordsAndWidenIntervals) {
  Given given;
  const ConstraintCheck plain = given.check("demographic_parity:sex:0.3")[1];
  given.table.weights.assign(101, 0.3);
  const ConstraintCheck equal = given.check("demographic_parity:sex:0.3")[1];
  EXPECT_NEAR(equal.value.value, plain.value.value, 1e-12);
  EXPECT_NEAR(equal.value.interval.low, plain.value.interval.low, 1e-12);
  EXPECT_NEAR(equal.value.interval.high, plain.value.interval.high, 1e-12);
  // Each second record counts for three, whatever its class.
  for (size_t i = 0; i < 101; i += 2) given.table.weights[i] = 0.9;
  const ConstraintCheck unequal = given.check("demographic_parity:sex:0.3")[1];
  EXPECT_NEAR(unequal.value.value, plain.value.value, 1e-12);
  // By Kish's formula 100 records are as certain as 80.
  EXPECT_NEAR((unequal.value.interval.high - unequal.value.interval.low) /
                  (plain.value.interval.high - plain.value.interval.low),
              std::sqrt(1 / 0.8), 0.03);
}

TEST(ConstraintCheck, TheIntervalDecides) {
  const auto verdict = [](const char* line) { return Given().check(line)[1].verdict(); };
  EXPECT_EQ(Given().check("demographic_parity:sex:0.3")[0].verdict(), LimitVerdict::kHolds);
  EXPECT_EQ(verdict("demographic_parity:sex:0.3"), LimitVerdict::kUnclear);
  EXPECT_EQ(verdict("demographic_parity:sex:0.2"), LimitVerdict::kUnclear);
  EXPECT_EQ(verdict("demographic_parity:sex:0.01"), LimitVerdict::kFails);
}

void expect_no_answer(const ConstraintCheck& check) {
  EXPECT_EQ(check.verdict(), LimitVerdict::kNotAnswerable);
  EXPECT_TRUE(std::isnan(check.value.value));
  EXPECT_TRUE(std::isnan(check.value.interval.low));
  EXPECT_TRUE(std::isnan(check.value.interval.high));
}

/// fnr has a cell of the positive ones that are predicted negative, and one of the others.
std::vector<int64_t> missed_and_found(const RateProgram& program, int64_t missed, int64_t found) {
  std::vector<int64_t> counts(2, found);
  counts[program.rates[0].numerator[0]] = missed;
  return counts;
}

TEST(ConstraintCheck, WithoutNoiseARateHasTheScoreInterval) {
  const RateProgram program = compiled("fnr:0.1");
  for (const auto& [missed, found] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 1}, {1, 0}, {0, 50}, {50, 0}, {3, 4}, {17, 1000}, {1'000'000, 3'000'000}}) {
    const ConstraintCheck check =
        check_counts(program, missed_and_found(program, missed, found), 0)[0];
    const auto trials = static_cast<double>(missed + found);
    const Interval interval = score_interval(static_cast<double>(missed) / trials, trials);
    EXPECT_NEAR(check.value.interval.low, interval.low, 1e-12) << missed << " " << found;
    EXPECT_NEAR(check.value.interval.high, interval.high, 1e-12) << missed << " " << found;
  }
}

/// The truth is known, and a little on either side of the slack. By the value alone many verdicts
/// are wrong.
TEST(ConstraintCheck, AWrongVerdictIsRareWithAndWithoutNoise) {
  constexpr int kAudits = 200;
  const RateProgram program = compiled("fnr:0.1");
  std::mt19937_64 random(12);
  for (const double noise : {0.0, 5.0}) {
    std::array<int, 2> decided = {};
    int wrong = 0;
    int wrong_by_value = 0;
    for (int i = 0; i < kAudits; ++i) {
      const int64_t num_records = 60 * (1 << i % 5);
      const double rate = std::uniform_real_distribution(0.1, 0.6)(random);
      const bool is_kept = i % 2 == 0;
      const int64_t missed = std::binomial_distribution<int64_t>(num_records, rate)(random);
      std::vector<int64_t> counts = missed_and_found(program, missed, num_records - missed);
      for (int64_t& count : counts)
        count += std::llround(noise * std::normal_distribution()(random));
      ConstraintCheck check = check_counts(program, counts, noise)[0];
      check.slack = rate + (is_kept ? 0.04 : -0.04);
      decided[0] += check.verdict() == LimitVerdict::kHolds ? 1 : 0;
      decided[1] += check.verdict() == LimitVerdict::kFails ? 1 : 0;
      wrong += check.verdict() == (is_kept ? LimitVerdict::kFails : LimitVerdict::kHolds) ? 1 : 0;
      wrong_by_value += (check.value.value <= check.slack) != is_kept ? 1 : 0;
    }
    EXPECT_LE(wrong, kAudits / 20);
    EXPECT_GT(wrong_by_value, kAudits / 12);
    EXPECT_GT(decided[0], 0);
    EXPECT_GT(decided[1], 0);
    RecordProperty(fmt::format("noise_{:g}", noise),
                   fmt::format("wrong {}, by value {}; holds {}, fails {}", wrong, wrong_by_value,
                               decided[0], decided[1]));
  }
}

TEST(ConstraintCheck, WithManyRecordsTheNoiseAloneIsLeft) {
  const RateProgram program = compiled("fnr:0.1");
  constexpr double kNoise = 1e7;
  const auto counts = missed_and_found(program, 1'000'000'000, 3'000'000'000);
  const Interval interval = check_counts(program, counts, kNoise)[0].value.interval;
  // The deviation of 3/4 of one cell's noise and 1/4 of the other's, over the number of records.
  const double expected = 1.959964 * kNoise * std::hypot(0.75, 0.25) / 4e9;
  EXPECT_NEAR(interval.high - 0.25, expected, 0.01 * expected);
  EXPECT_NEAR(0.25 - interval.low, expected, 0.01 * expected);
}

TEST(ConstraintCheck, WhatIsLostInTheNoiseDecidesNothing) {
  const RateProgram program = compiled("fnr:0.1");
  for (const auto& [missed, found] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 0}, {5, 20}, {-30, 10}, {25, -24}, {-20, 45}, {INT64_MIN, INT64_MIN}}) {
    expect_no_answer(check_counts(program, missed_and_found(program, missed, found), 10)[0]);
  }
}

/// Whatever the noise has made of the counts.
TEST(ConstraintCheck, ValuesLieInTheirIntervalsAndTheseWithinWhatRatesCanGive) {
  for (const char* line : {"fnr:0.1", "demographic_parity:sex:0.1", "precision:0.5"}) {
    const RateProgram program = compiled(line);
    std::vector<int64_t> counts(program.num_cells);
    int num_answered = 0;
    for (int64_t i = 0; i < 10'000; ++i) {
      for (size_t c = 0; c < counts.size(); ++c)
        counts[c] = (i * 7919 + static_cast<int64_t>(c) * 104'729 * (i % 13)) % 997 - 200;
      for (const ConstraintCheck& check : check_counts(program, counts, 20)) {
        if (check.verdict() == LimitVerdict::kNotAnswerable) continue;
        ++num_answered;
        const Estimate& value = check.value;
        ASSERT_LE(value.interval.low, value.value);
        ASSERT_GE(value.interval.high, value.value);
        ASSERT_LE(value.interval.high - value.interval.low, 2);
        ASSERT_LE(std::fabs(value.value), 1);
      }
    }
    EXPECT_GT(num_answered, 5000) << line;
  }
}

/// What the noise of a private release is charged for.
TEST(ConstraintCheck, ARecordIsInOneCellAtMost) {
  const Given given;
  for (const char* line :
       {"demographic_parity:sex:0.3", "equalized_odds:sex,race:0.1", "fnr:0.1"}) {
    const RateProgram program = compiled(line);
    const auto counts = count_cells(program, given.table, given.contexts, given.predictions);
    for (size_t i = 0; i < given.contexts.size(); ++i) {
      EncodedTable neighbour = given.table;
      neighbour.contributes[i] = 0;
      const auto others = count_cells(program, neighbour, given.contexts, given.predictions);
      int64_t change = 0;
      for (size_t c = 0; c < counts.size(); ++c) {
        EXPECT_GE(counts[c], others[c]);
        change += counts[c] - others[c];
      }
      EXPECT_LE(change, given.table.contributes[i]);
    }
  }
}

/// Three classes of one group, a group within everybody, two groups that overlap: intervals of sums
/// of correlated rates hold the truth about as often as they say.
TEST(ConstraintCheck, IntervalsCoverWhereRatesAreOfTheSameRecords) {
  constexpr uint64_t kSeed = 20261204;
  constexpr int kRuns = 4000;
  constexpr size_t kRecords = 300;
  const ConstraintDomain domain = {{{"sex", {"F", "M"}}, {"race", {"White", "Black", "Other"}}},
                                   {"low", "middle", "high"}};
  struct Case {
    std::string terms;
    double truth;
  };
  // Whatever the group, predictions are low, middle and high with 0.6, 0.3 and 0.1.
  const std::vector<Case> cases = {
      {"{coef = 1, pred = ['low'], given = {sex = 'F'}},"
       "{coef = -1, pred = ['middle'], given = {sex = 'F'}}",
       0.3},
      {"{coef = 1, pred = ['low'], given = {sex = 'F'}},"
       "{coef = 2, pred = ['high'], given = {sex = 'F'}}",
       0.8},
      {"{coef = 1, pred = ['low'], given = {race = 'White'}}, {coef = -1, pred = ['low'], given = "
       "{}}",
       0},
      {"{coef = 1, pred = ['low'], given = {sex = 'F'}},"
       "{coef = 1, pred = ['low'], given = {race = ['White', 'Black']}}",
       1.2},
      {"{coef = 1, pred = ['middle'], given = {sex = 'F', race = 'Other'}},"
       "{coef = -1, pred = ['middle'], given = {race = 'Other'}}",
       0}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.terms);
    std::vector<std::string> notes;
    const RateProgram program = compile_constraints(
        domain,
        parse_constraints_toml("[[constraint]]\nslack = 0\nterms = [" + c.terms + "]", "c", domain),
        notes);
    const bool has_sex = program.attributes[0] == "sex";
    const bool has_race = program.attributes.back() == "race";
    std::mt19937_64 random(kSeed);
    EncodedTable table;
    table.num_records = kRecords;
    table.labels.assign(kRecords, 0);
    table.contributes.assign(kRecords, 1);
    std::vector<GroupId> contexts(kRecords, GroupId(0));
    Predictions predictions;
    predictions.predicted.resize(kRecords);
    int covered = 0;
    for (int run = 0; run < kRuns; ++run) {
      for (size_t i = 0; i < kRecords; ++i) {
        const uint64_t drawn = random() % 10;
        predictions.predicted[i] = static_cast<uint16_t>(drawn < 6 ? 0 : drawn < 9 ? 1 : 2);
        const auto sex = static_cast<uint32_t>(random() % 2);
        const auto race = static_cast<uint32_t>(random() % 3);
        contexts[i] = GroupId((has_sex ? sex * (has_race ? 3 : 1) : 0) + (has_race ? race : 0));
      }
      const Interval interval =
          check_constraints(program, table, contexts, predictions)[0].value.interval;
      covered += interval.low <= c.truth && c.truth <= interval.high ? 1 : 0;
    }
    const double share = static_cast<double>(covered) / kRuns;
    std::printf("%s: covers %.4f; seed %llu, %d runs\n", c.terms.c_str(), share,
                static_cast<unsigned long long>(kSeed), kRuns);
    // 4.9 standard deviations of the share, and what score intervals are off by at such sizes.
    EXPECT_NEAR(share, 0.95, 4.9 * std::sqrt(0.95 * 0.05 / kRuns) + 0.01);
  }
}

TEST(ConstraintCheck, WhatNeedsARateOfNobodyIsNotAnswerable) {
  Given given;
  for (size_t i = 0; i < given.contexts.size(); ++i)
    if (given.contexts[i] == GroupId(1)) given.table.labels[i] = 0;  // no man is positive
  for (const ConstraintCheck& check : given.check("equalized_odds:sex:1")) {
    const bool is_of_positives = std::isnan(check.value.value);
    if (is_of_positives) {
      expect_no_answer(check);
    } else {
      EXPECT_EQ(check.verdict(), LimitVerdict::kHolds);
    }
  }
  EXPECT_EQ(given.check("fnr:1")[0].verdict(), LimitVerdict::kHolds);
  std::ranges::fill(given.table.labels, 0);
  expect_no_answer(given.check("fnr:1")[0]);
}

/// Its predicted class means nothing.
TEST(ConstraintCheck, WithoutAPredictionForSomebodyNothingIsAnswerable) {
  Given given;
  given.predictions.num_outputs = 1;
  given.predictions.outputs.assign(given.contexts.size(), 0.5);
  EXPECT_EQ(given.check("demographic_parity:sex:1")[0].verdict(), LimitVerdict::kHolds);
  given.predictions.outputs[100] = HUGE_VAL;  // does not contribute
  EXPECT_EQ(given.check("demographic_parity:sex:1")[0].verdict(), LimitVerdict::kHolds);
  given.predictions.outputs[7] = std::nan("");
  expect_no_answer(given.check("demographic_parity:sex:1")[0]);
}

}  // namespace equinoise::constraint_check_test
