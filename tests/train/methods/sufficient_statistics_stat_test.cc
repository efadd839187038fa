// SPDX-License-Identifier: Apache-2.0
// Intervals of coefficients hold what they say over draws of records and of noise.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "equinoise/models/linear.h"
#include "equinoise/train/methods/sufficient_statistics.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/regression/least_squares.h"
#include "tests/small_tables.h"

namespace equinoise::sufficient_statistics_stat_test {
namespace {

struct GroupCoverage {
  int64_t residuals_told = 0;
  int64_t residuals_held = 0;
  int64_t parts_told = 0;
  int64_t parts_held = 0;
};

struct Coverage {
  int64_t told = 0;
  int64_t held = 0;
  int64_t withheld = 0;
  int64_t residuals_held = 0;
  std::array<GroupCoverage, 2> groups = {};

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

/// Numbers that are correlated, and two columns of categories, the last of which makes groups: a
/// third of the records is in the second one, which follows another slope by `bend`.
EncodedTable table_of(int64_t num_records, uint64_t seed, std::mt19937_64& generator, double bend) {
  std::normal_distribution<double> normal;
  EncodedTable table = testing::mixed_table(num_records, seed);
  for (int64_t i = 0; i < num_records; ++i) {
    float* x = table.dense.data() + 3 * i;
    x[1] = 0.5F * (x[0] + x[1]);
    double y = 0.2 + kDeviation * normal(generator);
    for (size_t j = 0; j < 3; ++j)
      y += kTruth.at(table.feature_names[j]) * static_cast<double>(x[j]);
    for (const uint32_t place : table.active_row(i)) y += kTruth.at(table.feature_names[place]);
    const bool is_second = table.active_row(i)[1] == 9;
    if (is_second) y += bend * (static_cast<double>(x[0]) - 0.5);
    table.targets.push_back(static_cast<float>(y));
    table.groups.push_back(GroupId(is_second ? 1 : 0));
  }
  table.labels.clear();
  table.classes.clear();
  return table;
}

TrainingFacts facts_of(int64_t num_records, size_t num_groups) {
  TrainingFacts facts{num_records, 11};
  facts.model = "linear";
  facts.row_norm = 2;
  facts.target = {0, 0.5, -4, 4};
  facts.num_groups = num_groups;
  if (num_groups > 0) facts.groups = {"group", {"others", "third"}, {2. / 3, 1. / 3}};
  return facts;
}

/// How the regression fits each group in so many records that their draw does not matter.
std::vector<FitFigures> fits_of(double bend) {
  std::mt19937_64 generator(99);
  const EncodedTable table = table_of(400'000, 99, generator, bend);
  const MomentBounds bounds = {1.1 * std::sqrt(3), 3, 0};
  const MomentSums sums(bounds, kWithSlopes, 0x1p-40);
  const std::vector<int64_t> units = sums.sum_up_groups(table, 2);
  std::vector<Moments> parts;
  for (const size_t k : {0U, 1U})
    parts.push_back(
        sums.read(std::span(units).subspan(k * units.size() / 2, units.size() / 2), 10, 0));
  return coefficients_of(parts, bounds, table).groups;
}

/// 200 tables, a release of each.
Coverage coverage_of(int64_t num_records, double epsilon, uint64_t seed, size_t num_groups = 0,
                     double bend = 0, bool has_mean = true) {
  constexpr int kReleases = 200;
  Coverage coverage;
  std::mt19937_64 generator(seed);
  const std::vector<FitFigures> fits = num_groups > 0 ? fits_of(bend) : std::vector<FitFigures>();
  for (int release = 0; release < kReleases; ++release) {
    const uint64_t own_seed = seed * 1000 + static_cast<uint64_t>(release);
    const EncodedTable table = table_of(num_records, own_seed, generator, bend);
    TrainingConfig config;
    config.epsilon = epsilon;
    config.delta = 1e-6;
    const std::unique_ptr<TrainingMethod> method =
        find_training_method(num_groups > 0 ? "group_statistics" : "sufficient_statistics").make();
    TrainingFacts facts = facts_of(num_records, num_groups);
    if (!has_mean) facts.target = {-2, 2, -6, 2, false};
    const TrainingPlan plan = method->plan(config, facts);
    const LinearModel model(table.feature_names);
    SeededSource source(own_seed);
    StepObserver silent;
    const TrainedModel trained =
        method->run({table, model, plan, TrainingState::start(model.initial_parameters(1)),
                     Charge::unpaid(plan.events(), Relation::kZeroOut, source), source, silent});
    if (!trained.coefficients) continue;
    for (const Coefficient& row : trained.coefficients->rows) {
      coverage.withheld += row.estimate ? 0 : 1;
      if (!row.estimate || row.name == "intercept") continue;
      ++coverage.told;
      coverage.held += holds(*row.estimate, truth_of(row.name)) ? 1 : 0;
    }
    if (const auto& told = trained.coefficients->fit.residual_stddev)
      coverage.residuals_held += holds(*told, kDeviation) ? 1 : 0;
    for (size_t k = 0; k < trained.coefficients->groups.size(); ++k) {
      const FitFigures& fit = trained.coefficients->groups[k];
      GroupCoverage& group = coverage.groups[k];
      group.residuals_told += fit.residual_stddev ? 1 : 0;
      group.parts_told += fit.r_squared ? 1 : 0;
      group.residuals_held +=
          fit.residual_stddev && holds(*fit.residual_stddev, fits[k].residual_stddev->value) ? 1
                                                                                             : 0;
      group.parts_held += fit.r_squared && holds(*fit.r_squared, fits[k].r_squared->value) ? 1 : 0;
    }
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
  // From a mean that is released first.
  const Coverage from_mean = coverage_of(4000, 3, 7, 0, 0, false);
  EXPECT_GT(from_mean.told, 1500);
  EXPECT_GE(from_mean.share(), 0.93);
  EXPECT_LE(from_mean.share(), 0.975);
  EXPECT_GE(from_mean.residuals_held, 180);
}

/// Of 200 intervals a true coverage of 0.95 gives less than 178 with probability below 1e-3.
TEST(SufficientStatisticsIntervals, CoverWhatTheySayOfGroups) {
  for (const double epsilon : {8.0, 2.0}) {
    const Coverage groups = coverage_of(6000, epsilon, 5, 2);
    EXPECT_GT(groups.told, 1500);
    EXPECT_GE(groups.share(), 0.93);
    EXPECT_LE(groups.share(), 0.975);
    for (const GroupCoverage& group : groups.groups) {
      EXPECT_GE(group.residuals_told, 180) << epsilon;
      EXPECT_GE(group.residuals_held, 0.89 * static_cast<double>(group.residuals_told)) << epsilon;
      EXPECT_LT(group.residuals_held, 200) << "intervals of everything would hold as well";
      EXPECT_GE(group.parts_held, 0.89 * static_cast<double>(group.parts_told)) << epsilon;
    }
    EXPECT_EQ(groups.groups[0].parts_told, epsilon > 4 ? 200 : 0);
  }
}

/// Where a group follows another relation, what all coefficients are off moves its figures more,
/// and the residuals of both hang together with targets in another way; with much noise and with
/// hardly any.
TEST(SufficientStatisticsIntervals, CoverWhatTheySayOfGroupsThatDiffer) {
  for (const auto& [epsilon, bend] : {std::pair(8.0, 6.0), std::pair(60.0, 3.0)}) {
    const Coverage groups = coverage_of(6000, epsilon, 6, 2, bend);
    for (const GroupCoverage& group : groups.groups) {
      EXPECT_GE(group.residuals_told, 195) << bend;
      EXPECT_GE(group.residuals_held, 178) << bend;
      EXPECT_GE(group.parts_held, 0.89 * static_cast<double>(group.parts_told)) << bend;
    }
  }
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
