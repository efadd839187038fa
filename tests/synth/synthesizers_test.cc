// SPDX-License-Identifier: Apache-2.0
// What every method of the registry must do.

#include <cmath>
#include <random>

#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/registry.h"
#include "equinoise/synth/workload_error.h"
#include "tests/synth/coded_tables.h"
#include "tests/synth/synthesizer_runs.h"
#include "tests/test_support.h"
#include "tests/trial_values.h"

namespace equinoise::synthesizers_test {

using testing::facts_of;
using testing::rho_of;
using testing::run_unpaid;

/// Records in which each attribute follows the one before it.
CodedTable chained_table(const std::vector<size_t>& sizes, size_t num_records, uint32_t seed) {
  std::mt19937 random(seed);
  CodedTable table(sizes);
  for (size_t record = 0; record < num_records; ++record) {
    uint32_t before = static_cast<uint32_t>(random() % 100);
    for (CodedColumn& column : table.columns) {
      if (random() % 4 == 0) before = static_cast<uint32_t>(random() % 100);
      column.append(before % static_cast<uint32_t>(column.num_values));
    }
  }
  table.num_records = num_records;
  return table;
}

SynthConfig config_of(const SynthFacts& facts, double rho, int degree = 2) {
  SynthConfig config;
  config.rho = rho;
  config.workload = all_marginals(facts.domain, degree);
  return config;
}

CodedTable table_of(const CodedRows& rows, const std::vector<size_t>& sizes) {
  CodedTable table(sizes);
  for (size_t i = 0; i < sizes.size(); ++i) {
    for (const uint16_t code : rows.columns[i]) table.columns[i].append(code);
  }
  table.num_records = rows.num_rows;
  return table;
}

class EverySynthesizer : public ::testing::TestWithParam<size_t> {
 protected:
  const SynthesizerRow& row() const { return synthesizers()[GetParam()]; }
  std::unique_ptr<Synthesizer> method() const { return row().make(); }
  TaskProgress silent;
};

TEST_P(EverySynthesizer, CostsItsBudgetAndNoMore) {
  std::mt19937 random(20);
  for (int trial = 0; trial < 12; ++trial) {
    std::vector<size_t> sizes(1 + random() % 5);
    for (size_t& size : sizes) size = 1 + random() % 6;
    const CodedTable table = chained_table(sizes, random() % 300, static_cast<uint32_t>(trial));
    const SynthFacts facts = facts_of(table);
    const double rho = std::ldexp(1.0, -static_cast<int>(random() % 14));
    const SynthConfig config = config_of(facts, rho, 1 + static_cast<int>(random() % 3));
    const SynthPlan plan = method()->plan(config, facts);
    EXPECT_LE(rho_of(plan.events), rho * (1 + 1e-12));
    EXPECT_GE(rho_of(plan.events), rho * (1 - 1e-9));
    const SynthOutcome outcome = run_unpaid(*method(), table, plan, 7, silent);
    if (!outcome.rounds.empty()) {
      EXPECT_LE(outcome.rounds.back().rho_spent, rho * (1 + 1e-12));
      EXPECT_GE(outcome.rounds.back().rho_spent, rho * (1 - 1e-6));
    }
  }
}

/// What is beyond the range of an option is refused by its name. Within, also where there are more
/// rounds than a test has time for, what is planned is the budget.
TEST_P(EverySynthesizer, RangesOfOptionsAreKeptToAndTheBudgetAtTheirEnds) {
  const CodedTable table = chained_table({3, 2, 2}, 40, 3);
  const SynthFacts facts = facts_of(table);
  constexpr double kRho = 0.5;
  const auto& options = row().options();
  for (const SynthOption& option : options) {
    const std::string name(option.facts.name);
    const auto with = [&](const OptionValue& value) {
      SynthConfig config = config_of(facts, kRho);
      apply_settings<SynthConfig>("test", {&option, 1}, {{{name, value}}}, config);
      return config;
    };
    for (const double number : testing::numbers_outside(option.facts.range)) {
      for (const OptionValue& value : testing::values_of_number(option, number))
        EXPECT_ERROR(kUsage, HasSubstr(name + " must"), method()->plan(with(value), facts))
            << number;
    }
    for (const double number : testing::ends_of(option.facts.range)) {
      for (const OptionValue& value : testing::values_of_number(option, number)) {
        const SynthPlan plan = method()->plan(with(value), facts);
        EXPECT_LE(rho_of(plan.events), kRho * (1 + 1e-12)) << name << " " << number;
        if (number > 1000) continue;
        const SynthOutcome outcome = run_unpaid(*method(), table, plan, 7, silent);
        if (outcome.rounds.empty()) continue;
        EXPECT_LE(outcome.rounds.back().rho_spent, kRho * (1 + 1e-12)) << name << " " << number;
      }
    }
  }
}

TEST_P(EverySynthesizer, LearnsWhatDependsOnWhat) {
  const std::vector<size_t> sizes = {6, 5, 4, 3};
  const CodedTable table = chained_table(sizes, 20'000, 3);
  const SynthFacts facts = facts_of(table);
  const SynthPlan plan = method()->plan(config_of(facts, 0.5), facts);
  const SynthOutcome outcome = run_unpaid(*method(), table, plan, 1, silent);
  SeededSource source(2);
  for (const RowDraw draw : {RowDraw::kRound, RowDraw::kSample}) {
    const CodedTable rows =
        table_of(outcome.model->rows(20'000, draw, {}, source)->next(20'000), sizes);
    // An independent table would be 0.3 away.
    EXPECT_LT(workload_error(marginal_distances(table, rows, sets_of_degree(4, 2), 1)), 0.05);
  }
}

TEST_P(EverySynthesizer, RepeatsWithASeedWhateverTheThreads) {
  const CodedTable table = chained_table({4, 3, 2, 5}, 500, 3);
  const SynthFacts facts = facts_of(table);
  SynthConfig config = config_of(facts, 0.1);
  const auto model = [&](int threads, uint64_t seed) {
    config.threads = threads;
    const SynthPlan plan = method()->plan(config, facts);
    return run_unpaid(*method(), table, plan, seed, silent).model->to_json().dump();
  };
  const std::string first = model(1, 5);
  EXPECT_EQ(model(1, 5), first);
  EXPECT_EQ(model(3, 5), first);
  EXPECT_NE(model(1, 6), first);
}

TEST_P(EverySynthesizer, TheModelComesBackFromJsonWithItsTotal) {
  const CodedTable table = chained_table({4, 3, 2}, 5000, 3);
  const SynthFacts facts = facts_of(table);
  const SynthPlan plan = method()->plan(config_of(facts, 1), facts);
  const SynthOutcome outcome = run_unpaid(*method(), table, plan, 1, silent);
  EXPECT_NEAR(outcome.model->total(), 5000, 100);
  EXPECT_GT(outcome.model->megabytes(), 0);
  EXPECT_NEAR(outcome.model->probability({{0, 1}}) + outcome.model->probability({{0, 0}}) +
                  outcome.model->probability({{0, 2}}) + outcome.model->probability({{0, 3}}),
              1, 1e-9);
}

/// With pooled values, too, which mst has in a table of this size.
TEST_P(EverySynthesizer, ReleasesItsCountsAndSharesOfItsCells) {
  const CodedTable table = chained_table({3, 40, 4}, 300, 5);
  const SynthFacts facts = facts_of(table);
  const SynthPlan plan = method()->plan(config_of(facts, 0.5), facts);
  const SynthOutcome outcome = run_unpaid(*method(), table, plan, 3, silent);
  const std::vector<double> shares = outcome.model->shares({0, 1});
  ASSERT_EQ(shares.size(), 120U);
  for (size_t cell = 0; cell < shares.size(); ++cell) {
    const auto code = static_cast<int>(cell);
    EXPECT_NEAR(shares[cell], outcome.model->probability({{0, code / 40}, {1, code % 40}}), 1e-6);
  }
  // Every release by itself: what is measured again is not a mean with what was measured before.
  double rho = outcome.rho_of_scores;
  for (const SynthRound& round : outcome.rounds) rho += round.epsilon * round.epsilon / 8;
  for (const SynthMeasurement& measurement : outcome.measurements) {
    rho += 0.5 / (measurement.noise_stddev * measurement.noise_stddev);
    for (const double count : measurement.counts) ASSERT_EQ(count, std::round(count));
  }
  EXPECT_NEAR(rho, 0.5, 1e-6);
}

TEST_P(EverySynthesizer, RowsHaveTheGivenCodes) {
  const CodedTable table = chained_table({40, 3, 2}, 3000, 3);
  const SynthFacts facts = facts_of(table);
  const SynthPlan plan = method()->plan(config_of(facts, 0.01), facts);
  const SynthOutcome outcome = run_unpaid(*method(), table, plan, 1, silent);
  SeededSource source(1);
  for (int code = 0; code < 40; ++code) {
    const CodedRows rows =
        outcome.model->rows(10, RowDraw::kSample, {{0, code}, {2, 1}}, source)->next(10);
    EXPECT_EQ(rows.columns[0], std::vector<uint16_t>(10, static_cast<uint16_t>(code)));
    EXPECT_EQ(rows.columns[2], std::vector<uint16_t>(10, 1));
  }
  // Half of the records of some codes, which may be pooled.
  std::vector<double> weights(40, 0);
  double total = 0;
  for (size_t code = 10; code < 40; ++code) {
    weights[code] = code < 20 ? 1 : 0.5;
    total += weights[code] * outcome.model->probability({{0, static_cast<int>(code)}});
  }
  EXPECT_NEAR(outcome.model->probability({{0, 0, weights}}), total, 1e-9);
  constexpr size_t kRows = 40'000;
  for (const RowDraw draw : {RowDraw::kRound, RowDraw::kSample}) {
    const CodedRows rows = outcome.model->rows(kRows, draw, {{0, 0, weights}}, source)->next(kRows);
    std::vector<double> counts(40, 0);
    for (const uint16_t code : rows.columns[0]) ++counts[code];
    for (size_t code = 0; code < 40; ++code) {
      const double share =
          weights[code] * outcome.model->probability({{0, static_cast<int>(code)}}) / total;
      EXPECT_NEAR(counts[code], kRows * share, 5 * std::sqrt(kRows * share) + 1e-6) << code;
    }
  }
  EXPECT_THROW(outcome.model->rows(10, RowDraw::kRound, {{0, 40}}, source), Error);
  EXPECT_THROW(outcome.model->probability({{0, 0, {1, 1}}}), Error);
  EXPECT_THROW(outcome.model->rows(10, RowDraw::kRound, {{3, 0}}, source), Error);
}

TEST_P(EverySynthesizer, TablesWithoutRecordsAreNoError) {
  const CodedTable table({3, 1, 2});
  SynthFacts facts = facts_of(table);
  facts.num_records = 100;
  const SynthPlan plan = method()->plan(config_of(facts, 0.1), facts);
  const SynthOutcome outcome = run_unpaid(*method(), table, plan, 1, silent);
  EXPECT_GE(outcome.model->total(), 1);
  SeededSource source(1);
  EXPECT_EQ(outcome.model->rows(7, RowDraw::kRound, {}, source)->next(7).num_rows, 7U);
}

TEST_P(EverySynthesizer, DeclaredImpossibleCombinationsNeverComeUp) {
  const CodedTable table = chained_table({3, 3, 2}, 4000, 3);
  SynthFacts facts = facts_of(table);
  Factor zeros = constant_factor(facts.domain, {0, 1}, 0);
  zeros.values[1 * 3 + 1] = kLogZero;
  facts.structural_zeros = {zeros};
  const SynthPlan plan = method()->plan(config_of(facts, 1), facts);
  const SynthOutcome outcome = run_unpaid(*method(), table, plan, 1, silent);
  SeededSource source(1);
  for (const RowDraw draw : {RowDraw::kRound, RowDraw::kSample}) {
    const CodedRows rows = outcome.model->rows(5000, draw, {}, source)->next(5000);
    for (size_t row = 0; row < rows.num_rows; ++row)
      ASSERT_FALSE(rows.columns[0][row] == 1 && rows.columns[1][row] == 1);
  }
  // Their attributes stand together in the model, so the size that is told counts them.
  for (const SynthRound& round : outcome.rounds) EXPECT_GE(round.megabytes, 9 * 8.0 / 0x1p20);
}

TEST_P(EverySynthesizer, AnInterruptionEndsTheRun) {
  class Stop final : public TaskProgress {
   public:
    bool interrupted() const override { return true; }
  };
  Stop stop;
  const CodedTable table = chained_table({4, 3, 2}, 100, 3);
  const SynthFacts facts = facts_of(table);
  const SynthPlan plan = method()->plan(config_of(facts, 1), facts);
  EXPECT_ERROR(kRuntime, HasSubstr("interrupted"), run_unpaid(*method(), table, plan, 1, stop));
}

TEST_P(EverySynthesizer, AChargeOfAnotherPlanIsRefused) {
  const CodedTable table = chained_table({4, 3, 2}, 100, 3);
  const SynthFacts facts = facts_of(table);
  const SynthPlan plan = method()->plan(config_of(facts, 1), facts);
  SeededSource source(1);
  EXPECT_THROW(method()->run(TableMarginals(table), plan, Charge::nothing(Relation::kZeroOut),
                             source, silent),
               Error);
  EXPECT_THROW(
      method()->run(TableMarginals(table), plan,
                    Charge::unpaid(plan.events, Relation::kAddRemove, source), source, silent),
      Error);
}

TEST_P(EverySynthesizer, WhatCannotBeIsSaidBeforeAnythingIsSpent) {
  SynthFacts facts = facts_of(CodedTable({50'000, 3}));
  SynthConfig config = config_of(facts, 1);
  config.max_model_megabytes = 0.1;
  EXPECT_ERROR(kUsage,
               HasAll("marginal (c0) with 50000 values takes 0.3815 MB", "--max-model-size"),
               method()->plan(config, facts));
  config = config_of(facts, 1e-26);
  EXPECT_ERROR(kUsage, HasSubstr("too small for a single round"), method()->plan(config, facts));
}

INSTANTIATE_TEST_SUITE_P(Registry, EverySynthesizer,
                         ::testing::Range(size_t{0}, synthesizers().size()), [](const auto& param) {
                           return std::string(synthesizers()[param.param].name);
                         });

TEST(Synthesizers, AnUnknownOneIsRefusedWithTheNearest) {
  EXPECT_ERROR(kUsage, HasSubstr("did you mean \"mst\"?"), find_synthesizer("mts"));
}

TEST(Synthesizers, AListedMarginalBeyondTheCapIsNamed) {
  SynthFacts facts = facts_of(CodedTable({500, 500, 2}));
  SynthConfig config = config_of(facts, 1);
  config.workload = {{{0, 1}, 1}};
  config.workload_is_listed = true;
  config.max_model_megabytes = 1;
  const auto aim = find_synthesizer("aim").make();
  EXPECT_ERROR(kUsage, HasSubstr("marginal (c0, c1) takes 1.907 MB, more than max_model_size 1 MB"),
               aim->plan(config, facts));
  config.workload_is_listed = false;
  ASSERT_EQ(aim->plan(config, facts).warnings.size(), 1U);
}

TEST(Synthesizers, ModelsNeverGrowBeyondTheirCap) {
  const CodedTable table = chained_table({30, 30, 30, 30}, 5000, 3);
  const SynthFacts facts = facts_of(table);
  SynthConfig config = config_of(facts, 5, 3);
  config.max_model_megabytes = 0.02;
  TaskProgress silent;
  for (const SynthesizerRow& row : synthesizers()) {
    const auto method = row.make();
    const SynthOutcome outcome = run_unpaid(*method, table, method->plan(config, facts), 1, silent);
    EXPECT_LE(outcome.model->megabytes(), 0.02) << row.name;
  }
}

}  // namespace equinoise::synthesizers_test
