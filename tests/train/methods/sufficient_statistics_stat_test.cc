// SPDX-License-Identifier: Apache-2.0
// Intervals of coefficients hold what they say over draws of records and of noise.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "equinoise/models/linear.h"
#include "equinoise/train/methods/sufficient_statistics.h"
#include "tests/small_tables.h"

namespace equinoise::sufficient_statistics_stat_test {
namespace {

struct Coverage {
  int64_t told = 0;
  int64_t held = 0;
  int64_t withheld = 0;
  int64_t residuals_held = 0;
  int64_t parts_told = 0;

  double share() const { return static_cast<double>(held) / static_cast<double>(told); }
};

bool holds(const NoisyEstimate& estimate, double truth) {
  return estimate.low <= truth && truth <= estimate.high;
}

constexpr double kDeviation = 0.25;

/// What each feature adds to the target, beside a constant.
const std::map<std::string, double> kTruth = {
    {"dense0", 0.4},   {"dense1", -0.3}, {"dense2", 0},   {"first=0", 0},    {"first=1", 0.1},
    {"first=2", -0.2}, {"first=3", 0},   {"second=0", 0}, {"second=1", 0.3}, {"second=2", 0}};

/// Of a coefficient of that name: "dense0", "first=1 (against 2)".
double truth_of(const std::string& name) {
  const size_t space = name.find(' ');
  if (space == std::string::npos) return kTruth.at(name);
  const std::string feature = name.substr(0, space);
  const std::string reference =
      feature.substr(0, feature.find('=') + 1) +
      name.substr(name.rfind(' ') + 1, name.rfind(')') - name.rfind(' ') - 1);
  return kTruth.at(feature) - kTruth.at(reference);
}

/// 200 tables, a release of each: numbers that are correlated, and two columns of categories.
Coverage coverage_of(int64_t num_records, double epsilon, uint64_t seed) {
  constexpr int kReleases = 200;
  Coverage coverage;
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  for (int release = 0; release < kReleases; ++release) {
    EncodedTable table =
        testing::mixed_table(num_records, seed * 1000 + static_cast<uint64_t>(release));
    for (int64_t i = 0; i < num_records; ++i) {
      float* x = table.dense.data() + 3 * i;
      x[1] = 0.5F * (x[0] + x[1]);
      double y = 0.2 + kDeviation * normal(generator);
      for (size_t j = 0; j < 3; ++j)
        y += kTruth.at(table.feature_names[j]) * static_cast<double>(x[j]);
      for (const uint32_t place : table.active_row(i)) y += kTruth.at(table.feature_names[place]);
      table.targets.push_back(static_cast<float>(y));
    }
    table.labels.clear();
    table.classes.clear();
    TrainingFacts facts{num_records, 11};
    facts.model = "linear";
    facts.row_norm = 2;
    facts.target = {0, 0.5, 4};
    TrainingConfig config;
    config.epsilon = epsilon;
    config.delta = 1e-6;
    const SufficientStatistics method;
    const TrainingPlan plan = method.plan(config, facts);
    const LinearModel model(table.feature_names);
    SeededSource source(seed * 1000 + static_cast<uint64_t>(release));
    StepObserver silent;
    const TrainedModel trained =
        method.run({table, model, plan, TrainingState::start(model.initial_parameters(1)),
                    Charge::unpaid(plan.events(), Relation::kZeroOut, source), source, silent});
    if (!trained.coefficients) continue;
    for (const Coefficient& row : trained.coefficients->rows) {
      coverage.withheld += row.estimate ? 0 : 1;
      if (!row.estimate || row.name == "intercept") continue;
      ++coverage.told;
      coverage.held += holds(*row.estimate, truth_of(row.name)) ? 1 : 0;
    }
    if (!trained.coefficients->residual_stddev) continue;
    ++coverage.parts_told;
    coverage.residuals_held += holds(*trained.coefficients->residual_stddev, kDeviation) ? 1 : 0;
  }
  return coverage;
}

/// 1,600 intervals with some dependence within a release: a true coverage of 0.95 gives less than
/// 0.93 or more than 0.97 with probability below 1e-3.
TEST(SufficientStatisticsIntervals, CoverWhatTheySay) {
  const Coverage plain = coverage_of(4000, 3, 1);
  EXPECT_EQ(plain.withheld, 0);
  EXPECT_GE(plain.share(), 0.93);
  EXPECT_LE(plain.share(), 0.97);
  EXPECT_GE(plain.residuals_held, 180);
  // Where noise matters more than the draw of the records.
  const Coverage noisy = coverage_of(4000, 1, 2);
  EXPECT_GT(noisy.told, 1500);
  EXPECT_GE(noisy.share(), 0.93);
  EXPECT_LE(noisy.share(), 0.975);
  EXPECT_GE(noisy.residuals_held, 180);
}

/// Near the end of what can be told intervals are too wide rather than too narrow, and then nothing
/// is told.
TEST(SufficientStatisticsIntervals, AreWithheldWhereNoiseIsTooMuch) {
  const Coverage edge = coverage_of(2600, 1, 3);
  EXPECT_GT(edge.told, 100);
  EXPECT_GE(edge.share(), 0.93);
  const Coverage lost = coverage_of(500, 0.5, 4);
  EXPECT_EQ(lost.told, 0);
}

}  // namespace
}  // namespace equinoise::sufficient_statistics_stat_test
