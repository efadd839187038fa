// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "equinoise/synth/graph/domain.h"
#include "equinoise/synth/synthesizers/synthesizers.h"
#include "tests/synth/coded_tables.h"
#include "tests/synth/synthesizer_runs.h"
#include "tests/test_support.h"

namespace equinoise::swift_test {

using testing::facts_of;

/// Columns of 8, 6, 5 and 4 values and one of a single one, each but the first a function of the
/// one before, mostly.
CodedTable dependent_table(size_t num_records) {
  const std::vector<size_t> sizes = {8, 6, 5, 4, 1};
  std::mt19937 random(6);
  CodedTable table(sizes);
  for (size_t record = 0; record < num_records; ++record) {
    auto value = static_cast<uint32_t>(random() % 8);
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (random() % 5 == 0) value = static_cast<uint32_t>(random() % 8);
      table.columns[i].append(value % static_cast<uint32_t>(sizes[i]));
    }
  }
  table.num_records = num_records;
  return table;
}

struct PlannedRun {
  SynthPlan plan;
  SynthOutcome outcome;
};

PlannedRun run(const CodedTable& table, double rho, int stages, double megabytes, int degree = 2) {
  const std::unique_ptr<Synthesizer> swift = make_swift();
  SynthConfig config;
  config.rho = rho;
  config.max_model_megabytes = megabytes;
  config.own.of<SwiftOptions>().stages = stages;
  const SynthFacts facts = testing::facts_of(table);
  config.workload = all_marginals(facts.domain, degree);
  PlannedRun result{swift->plan(config, facts), {}};
  result.outcome = testing::run_unpaid(*swift, table, result.plan, 5);
  return result;
}

double rho_of(const SynthOutcome& outcome) {
  double sum = outcome.rho_of_scores;
  for (const SynthMeasurement& one : outcome.measurements)
    sum += 0.5 / (one.noise_stddev * one.noise_stddev);
  return sum;
}

TEST(Swift, SpendsAllOfRhoOnScoresAndMeasurements) {
  const CodedTable table = dependent_table(3000);
  for (const double rho : {1e-7, 1e-3, 1.0}) {
    for (const int stages : {1, 3, 20}) {
      // Room for everything, for some pairs and for columns alone.
      for (const double megabytes : {80.0, 0.0006, 0.0002}) {
        for (const int degree : {1, 2, 3}) {
          const PlannedRun one = run(table, rho, stages, megabytes, degree);
          ASSERT_NEAR(rho_of(one.outcome), rho, 1e-7 * rho)
              << rho << " " << stages << " " << megabytes << " " << degree;
          ASSERT_LE(one.outcome.model->megabytes(), megabytes);
        }
      }
    }
  }
}

TEST(Swift, MeasuresWhatDependsInOneStage) {
  const PlannedRun one = run(dependent_table(20'000), 0.1, 1, 80);
  std::set<AttributeSet> chosen;
  for (const SynthRound& round : one.outcome.rounds) chosen.insert(round.chosen);
  for (const AttributeSet& pair : {AttributeSet{0, 1}, AttributeSet{1, 2}, AttributeSet{2, 3}})
    EXPECT_TRUE(chosen.contains(pair)) << pair[0];
  // What a column of one value makes of others is no marginal of its own.
  for (const AttributeSet& set : chosen) EXPECT_EQ(set.back() == 4, false);
}

}  // namespace equinoise::swift_test
