// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <random>

#include "equinoise/synth/marginal_counts.h"
#include "equinoise/synth/marginal_scores.h"
#include "equinoise/synth/measure.h"
#include "equinoise/synth/synthesizers/synthesizers.h"
#include "equinoise/synth/workload_error.h"
#include "tests/synth/coded_tables.h"
#include "tests/synth/synthesizer_runs.h"
#include "tests/test_support.h"

namespace equinoise::gem_test {

using testing::facts_of;
using testing::rho_of;

SynthConfig config_of(const SynthFacts& facts, double rho, QueryForm form) {
  SynthConfig config;
  config.rho = rho;
  config.own.of<GemOptions>().query_form = form;
  config.workload = all_marginals(facts.domain, 2);
  return config;
}

SynthOutcome run(const CodedTable& table, const SynthPlan& plan, uint64_t seed) {
  return testing::run_unpaid(*make_gem(), table, plan, seed);
}

TEST(Gem, CostsItsBudgetWithEitherFormAndWithoutAPublicNumberOfRecords) {
  const CodedTable table = testing::random_table({3, 2, 4}, 800, 1);
  for (const QueryForm form : {QueryForm::kMarginal, QueryForm::kCell}) {
    for (const Relation relation : {Relation::kZeroOut, Relation::kAddRemove}) {
      for (const int rounds : {1, 7, 1000}) {
        SynthFacts facts = facts_of(table);
        if (relation == Relation::kAddRemove) facts.num_records.reset();
        SynthConfig config = config_of(facts, 0.02, form);
        config.relation = relation;
        config.own.of<GemOptions>().rounds = rounds;
        const SynthPlan plan = make_gem()->plan(config, facts);
        EXPECT_LE(rho_of(plan.events, relation), 0.02 * (1 + 1e-12));
        EXPECT_GE(rho_of(plan.events, relation), 0.02 * (1 - 1e-9));
        if (rounds == 1000) continue;
        const SynthOutcome outcome = run(table, plan, 3);
        EXPECT_THAT(outcome.rounds, SizeIs(static_cast<size_t>(rounds)));
        EXPECT_NEAR(outcome.rounds.back().rho_spent, 0.02, 1e-10);
        // Six standard deviations of the noise on the number of records, at 1e-9 a run.
        EXPECT_NEAR(outcome.model->total(), 800, 6 * std::sqrt(8 / (2 * 0.02)) * 20);
      }
    }
  }
}

TEST(Gem, TheDefaultShareOfCellsIsThePublishedOne) {
  const SynthFacts facts = facts_of(testing::random_table({3, 2, 4}, 100, 1));
  SynthConfig config = config_of(facts, 1, QueryForm::kCell);
  config.own.of<GemOptions>().rounds = 10;
  const SynthPlan plan = make_gem()->plan(config, facts);
  // epsilon0 = sqrt(2 rho / (T (alpha^2 + (1 - alpha)^2))), alpha = 0.67.
  const double epsilon0 = std::sqrt(2.0 / (10 * (0.67 * 0.67 + 0.33 * 0.33)));
  EXPECT_NEAR(plan.events[0].events()[0].epsilon(), 2 * 0.67 * epsilon0, 1e-9);
  EXPECT_NEAR(plan.events[1].events()[0].noise_stddev(), 1 / (0.33 * epsilon0), 1e-9);
}

TEST(Gem, NoCellIsChosenTwice) {
  const CodedTable table = testing::random_table({2, 3}, 300, 1);
  SynthConfig config = config_of(facts_of(table), 0.5, QueryForm::kCell);
  config.own.of<GemOptions>().rounds = 50;
  const SynthPlan plan = make_gem()->plan(config, facts_of(table));
  EXPECT_EQ(plan.events[0].count(), 6);
  std::set<std::vector<uint32_t>> cells;
  for (const SynthRound& round : run(table, plan, 2).rounds) {
    EXPECT_EQ(round.chosen, (AttributeSet{0, 1}));
    EXPECT_EQ(round.num_candidates, 6 - cells.size());
    EXPECT_TRUE(cells.insert(round.codes).second);
  }
  EXPECT_EQ(cells.size(), 6U);
}

TEST(Gem, ARecordChangesScoresAndCountsByNoMoreThanWasDeclared) {
  std::mt19937 random(6);
  const std::vector<size_t> sizes = {3, 2, 4};
  const std::vector<AttributeSet> sets = sets_of_degree(3, 2);
  const std::vector<double> weights = {1, 2.5, 0.3};
  const MarginalScores grid(2.5);
  for (int trial = 0; trial < 40; ++trial) {
    const CodedTable table = testing::random_table(sizes, 50, static_cast<uint32_t>(trial));
    CodedTable more = table;
    for (CodedColumn& column : more.columns)
      column.append(static_cast<uint32_t>(random() % column.num_values));
    ++more.num_records;
    std::vector<std::vector<uint32_t>> counts;
    std::vector<std::vector<uint32_t>> more_counts;
    std::vector<std::vector<double>> expected;
    for (const AttributeSet& set : sets) {
      counts.push_back(count_marginal(table, set));
      more_counts.push_back(count_marginal(more, set));
      expected.emplace_back();
      int changed = 0;
      for (size_t cell = 0; cell < counts.back().size(); ++cell) {
        expected.back().push_back(static_cast<double>(random() % 10'000) / 777);
        changed += counts.back()[cell] != more_counts.back()[cell] ? 1 : 0;
      }
      EXPECT_EQ(changed, 1);
    }
    const std::vector<int64_t> scores = score_cells(counts, expected, weights);
    const std::vector<int64_t> more_scores = score_cells(more_counts, expected, weights);
    ASSERT_EQ(scores.size(), 6U + 12 + 8);
    double largest = 0;
    for (size_t i = 0; i < scores.size(); ++i)
      largest = std::max(largest, std::abs(static_cast<double>(more_scores[i] - scores[i])));
    EXPECT_LE(largest, grid.sensitivity_units(2.5));
    EXPECT_GT(largest, 0);
  }
}

TEST(Gem, ScoresOfCellsAreTheErrors) {
  const MarginalScores grid(2);
  const auto scores = score_cells({{10, 0}, {4}}, {{7, 2}, {9}}, {2, 1});
  EXPECT_NEAR(static_cast<double>(scores[0]) * grid.unit(), 6, 1e-3);
  EXPECT_NEAR(static_cast<double>(scores[1]) * grid.unit(), 4, 1e-3);
  EXPECT_NEAR(static_cast<double>(scores[2]) * grid.unit(), 5, 1e-3);
}

TEST(Gem, CellsTeachTheLargestOnes) {
  // Two columns that are equal in 9 of 10 records.
  std::mt19937 random(1);
  CodedTable table({4, 4});
  for (int record = 0; record < 20'000; ++record) {
    const auto code = static_cast<uint32_t>(random() % 4);
    table.columns[0].append(code);
    table.columns[1].append(random() % 10 == 0 ? static_cast<uint32_t>(random() % 4) : code);
  }
  table.num_records = 20'000;
  SynthConfig config = config_of(facts_of(table), 0.5, QueryForm::kCell);
  config.own.of<GemOptions>().rounds = 12;
  const SynthOutcome outcome = run(table, make_gem()->plan(config, facts_of(table)), 1);
  double distance = 0;
  const std::vector<uint32_t> counts = count_marginal(table, {0, 1});
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b) {
      distance += std::abs(outcome.model->probability({{0, a}, {1, b}}) -
                           counts[static_cast<size_t>(4 * a + b)] / 20'000.0) /
                  2;
    }
  }
  // Independence is 0.67 away.
  EXPECT_LT(distance, 0.15);
}

TEST(Gem, WhatCannotBeIsSaidInThePlan) {
  SynthFacts facts = facts_of(testing::random_table({200, 300, 5}, 10, 1));
  SynthConfig config = config_of(facts, 1, QueryForm::kMarginal);
  config.max_model_megabytes = 0.2;
  EXPECT_THAT(make_gem()->plan(config, facts).warnings,
              ElementsAre(HasSubstr("has room for 103 components of a mixture")));
  Factor zeros = constant_factor(facts.domain, {0, 1}, 0);
  zeros.values[0] = kLogZero;
  facts.structural_zeros = {zeros};
  EXPECT_ERROR(kUsage, HasSubstr("two components of a mixture take 0.4578 MB"),
               make_gem()->plan(config, facts));
  facts.structural_zeros.clear();
  config.own.of<GemOptions>().rounds = 0;
  EXPECT_ERROR(kUsage, HasSubstr("rounds"), make_gem()->plan(config, facts));
  config.own.of<GemOptions>().rounds = 5;
  config.measurement_share = 1;
  EXPECT_ERROR(kUsage, HasSubstr("measurement_share"), make_gem()->plan(config, facts));
  SynthFacts wide = facts_of(testing::random_table({20'000, 5000}, 1, 1));
  config = config_of(wide, 1, QueryForm::kCell);
  EXPECT_ERROR(kUsage, HasSubstr("marginal (c0, c1) has 1e+08 cells"),
               make_gem()->plan(config, wide));
  config.own.of<GemOptions>().query_form = QueryForm::kMarginal;
  EXPECT_THAT(make_gem()->plan(config, wide).warnings,
              Contains(HasSubstr("it can only be measured in parts, never as a whole")));
  wide = facts_of(testing::random_table({8000, 8000, 2000}, 1, 1));
  config = config_of(wide, 1, QueryForm::kCell);
  EXPECT_ERROR(kUsage, HasSubstr("--query-form marginal"), make_gem()->plan(config, wide));
}

}  // namespace equinoise::gem_test
