// SPDX-License-Identifier: Apache-2.0
// Intervals of coefficients hold what they say over draws of records and of noise.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/regression/least_squares.h"
#include "tests/small_tables.h"
#include "tests/train/methods/coefficient_truth.h"
#include "tests/train/seeded_run.h"

namespace equinoise::sufficient_statistics_stat_test {

struct GroupCoverage {
  int64_t residuals_told = 0;
  int64_t residuals_held = 0;
  int64_t parts_told = 0;
  int64_t parts_held = 0;
};

struct Coverage {
  int64_t told = 0;
  int64_t held = 0;
  int64_t unbounded = 0;  ///< of these
  int64_t withheld = 0;
  int64_t residuals_held = 0;
  std::array<GroupCoverage, 2> groups = {};

  double share() const { return static_cast<double>(held) / static_cast<double>(told); }
  /// Of the intervals with ends, which are those that reports show.
  double share_with_ends() const {
    return static_cast<double>(held - unbounded) / static_cast<double>(told - unbounded);
  }
};

bool holds(const NoisyEstimate& estimate, double truth) {
  return estimate.low <= truth && truth <= estimate.high;
}

constexpr double kDeviation = 0.25;

/// What each feature adds to the target, beside a constant.
const std::map<std::string, double> kTruth = {
    {"dense0", 0.4},   {"dense1", -0.3}, {"dense2", 0},   {"first=0", 0},    {"first=1", 0.1},
    {"first=2", -0.2}, {"first=3", 0},   {"second=0", 0}, {"second=1", 0.3}, {"second=2", 0}};

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
    const TrainedModel trained = testing::run_with_seed(*method, table, model, plan, own_seed);
    if (!trained.coefficients) continue;
    for (const Coefficient& row : trained.coefficients->rows) {
      coverage.withheld += row.estimate ? 0 : 1;
      if (!row.estimate || row.name == "intercept") continue;
      ++coverage.told;
      coverage.unbounded += std::isinf(row.estimate->low) ? 1 : 0;
      coverage.held += holds(*row.estimate, testing::truth_of(kTruth, row.name)) ? 1 : 0;
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

/// Near the end of what can be told, too, and then next to nothing is told.
TEST(SufficientStatisticsIntervals, AreWithheldWhereNoiseIsTooMuch) {
  const Coverage edge = coverage_of(1000, 1, 3);
  EXPECT_GT(edge.told, 1000);
  EXPECT_GE(edge.share(), 0.93);
  EXPECT_GE(edge.share_with_ends(), 0.93);
  EXPECT_GT(edge.withheld, 100);
  const Coverage lost = coverage_of(500, 0.3, 4);
  EXPECT_LT(lost.told, 20);
}

/// Records of columns that a test makes: numbers in [0, 1], then categories.
class Records {
 public:
  Records(uint32_t num_numbers, const std::vector<uint32_t>& num_categories) {
    table_.num_dense = num_numbers;
    table_.num_active = static_cast<uint32_t>(num_categories.size());
    table_.scales.assign(num_numbers, {0, 1, 0.5, 0.5});
    for (uint32_t j = 0; j < num_numbers; ++j)
      table_.feature_names.push_back(fmt::format("n{}", j));
    for (size_t b = 0; b < num_categories.size(); ++b) {
      table_.blocks.push_back(static_cast<uint32_t>(table_.feature_names.size()));
      for (uint32_t c = 0; c < num_categories[b]; ++c)
        table_.feature_names.push_back(fmt::format("c{}={}", b, c));
    }
    table_.num_features = static_cast<uint32_t>(table_.feature_names.size());
  }

  void add(const std::vector<double>& numbers, const std::vector<uint32_t>& categories,
           double target) {
    for (const double number : numbers)
      table_.dense.push_back(static_cast<float>(std::clamp(number, 0.0, 1.0)));
    for (size_t b = 0; b < categories.size(); ++b)
      table_.active.push_back(table_.blocks[b] + categories[b]);
    table_.targets.push_back(static_cast<float>(target));
    table_.contributes.push_back(1);
    ++table_.num_records;
  }

  const EncodedTable& table() const { return table_; }

 private:
  EncodedTable table_;
};

/// Of an insurance: age, weight, children, sex, smokers, region; charges from 0 to 1.
EncodedTable insurance() {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal(0.4, 0.155);
  std::gamma_distribution<double> rest(0.6, 0.064);
  Records records(3, {2, 2, 4});
  for (int i = 0; i < 1338; ++i) {
    const double age = uniform(generator);
    const double weight = std::clamp(normal(generator), 0.0, 1.0);
    const double children = std::floor(5 * std::pow(uniform(generator), 2)) / 5;
    const bool smokes = uniform(generator) < 0.205;
    const double charge = 0.03 + 0.18 * age + 0.035 * children + rest(generator) +
                          (smokes ? 0.375 + 0.87 * (weight - 0.4) : 0);
    records.add({age, weight, children},
                {uniform(generator) < 0.5 ? 1U : 0U, smokes ? 1U : 0U,
                 static_cast<uint32_t>(4 * uniform(generator))},
                std::clamp(charge, 0.0, 1.0));
  }
  return records.table();
}

/// Numbers that nearly say each other, one of them twice, one with bounds fifty times too wide.
EncodedTable alike() {
  std::mt19937_64 generator(2);
  std::normal_distribution<double> normal;
  Records records(6, {2});
  for (int i = 0; i < 6000; ++i) {
    const double size = 0.5 + 0.2 * normal(generator);
    const double other = 0.7 * size + 0.15 + 0.05 * normal(generator);
    const double third = size + other - 0.3 + 0.15 * normal(generator);
    const double wide = 0.5 + 0.004 * normal(generator);
    const bool second = normal(generator) > 0.6;
    records.add({size, other, third, size, wide, 0.5 + 0.2 * normal(generator)}, {second ? 1U : 0U},
                0.2 + 0.3 * size + 0.1 * third + 20 * (wide - 0.5) + (second ? 0.05 : 0) +
                    0.05 * normal(generator));
  }
  return records.table();
}

/// Columns of many categories, from frequent ones to some that nobody has.
EncodedTable categories() {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform;
  const auto draw = [&](double num) {
    return static_cast<uint32_t>(num * std::pow(uniform(generator), 3));
  };
  Records records(1, {12, 9, 5, 20});
  for (int i = 0; i < 20'000; ++i) {
    const std::vector<uint32_t> drawn = {draw(12), draw(9), draw(5), draw(20)};
    const double age = uniform(generator);
    records.add({age}, drawn,
                0.3 + 0.1 * age + 0.05 * (drawn[0] % 3) + 0.02 * drawn[1] +
                    0.1 * (uniform(generator) - 0.5));
  }
  return records.table();
}

/// 1,000 records, few of them in each category.
EncodedTable loans() {
  std::mt19937_64 generator(4);
  std::uniform_real_distribution<double> uniform;
  Records records(3, {5, 3, 4});
  for (int i = 0; i < 1000; ++i) {
    const double months = std::pow(uniform(generator), 1.5);
    const auto kind = static_cast<uint32_t>(5 * std::pow(uniform(generator), 2));
    records.add({months, uniform(generator), 0.3 + 0.4 * uniform(generator)},
                {kind, static_cast<uint32_t>(3 * uniform(generator)),
                 static_cast<uint32_t>(4 * std::pow(uniform(generator), 2))},
                0.05 + 0.4 * months * uniform(generator) + 0.03 * kind);
  }
  return records.table();
}

/// Coefficients by their names as released, of the regression that has those.
std::map<std::string, double> exact_coefficients(const Moments& exact, const Coefficients& released,
                                                 const EncodedTable& table) {
  std::vector<Eigen::Index> kept;
  std::vector<std::string> names;
  for (const Coefficient& row : released.rows) {
    if (row.name == "intercept") break;
    const auto feature =
        std::ranges::find(table.feature_names, row.name.substr(0, row.name.find(' ')));
    kept.push_back(feature - table.feature_names.begin());
    names.push_back(row.name);
  }
  const auto p = static_cast<Eigen::Index>(kept.size());
  Eigen::MatrixXd matrix(p + 1, p + 1);
  Eigen::VectorXd right(p + 1);
  const Eigen::VectorXd sum = exact.sum(kept);
  matrix << Eigen::MatrixXd(exact.second(kept, kept)), sum, sum.transpose(), exact.weight;
  right << Eigen::VectorXd(exact.cross(kept)), exact.target;
  const Eigen::VectorXd solved = matrix.ldlt().solve(right);
  std::map<std::string, double> found;
  for (Eigen::Index j = 0; j < p; ++j) {
    const auto place = static_cast<size_t>(j);
    const double width = table.scale_of(static_cast<size_t>(kept[place])).half_width;
    found.emplace(names[place], solved(j) / width);
  }
  return found;
}

/// What 500 releases of the same table show of the regression that each is of.
struct Shown {
  int64_t num = 0;
  int64_t num_held = 0;
  int64_t num_unbounded = 0;  ///< of these
  struct Row {
    int64_t num = 0;
    int64_t num_held = 0;
    double sum = 0;  ///< of the estimates

    double coverage() const { return static_cast<double>(num_held) / static_cast<double>(num); }
  };
  std::map<std::string, Row> rows = {};  ///< of each coefficient

  double coverage() const { return static_cast<double>(num_held) / static_cast<double>(num); }
  /// Of the intervals with ends, which are those that reports show.
  double coverage_with_ends() const {
    return static_cast<double>(num_held - num_unbounded) / static_cast<double>(num - num_unbounded);
  }
};

Shown shown_of(const EncodedTable& table, double epsilon, int num_releases = 500) {
  TrainingConfig config;
  config.epsilon = epsilon;
  config.delta = 1e-6;
  TrainingFacts facts{table.num_records, table.num_features + 1};
  facts.model = "linear";
  facts.row_norm = std::sqrt(1 + static_cast<double>(table.num_dense) / 3 +
                             static_cast<double>(table.num_active));
  facts.target = {0.2, 0.25, 0.75};
  const TrainingPlan plan = testing::method_of("sufficient_statistics").plan(config, facts);
  const MomentBounds bounds = {1.1 * std::sqrt(facts.row_norm * facts.row_norm - 1), 0.75, 0.2};
  const MomentSums sums(bounds, kWithSlopes, plan.grid);
  const std::vector<int64_t> exact_units = sums.sum_up(table);
  const Moments exact = sums.read(exact_units, table.num_features, 0);
  const double stddev = plan.noise_multiplier * sums.sensitivity();
  std::mt19937_64 generator(7);
  std::normal_distribution<double> noise(0, stddev);
  Shown shown;
  for (int release = 0; release < num_releases; ++release) {
    std::vector<int64_t> units = exact_units;
    for (int64_t& unit : units) unit += static_cast<int64_t>(std::round(noise(generator)));
    const Coefficients found =
        coefficients_of({{sums.read(units, table.num_features, stddev)}}, bounds, table);
    const std::map<std::string, double> truths = exact_coefficients(exact, found, table);
    for (const Coefficient& row : found.rows) {
      if (!row.estimate || row.name == "intercept") continue;
      const int64_t is_held = holds(*row.estimate, truths.at(row.name)) ? 1 : 0;
      ++shown.num;
      shown.num_held += is_held;
      shown.num_unbounded += std::isinf(row.estimate->low) ? 1 : 0;
      Shown::Row& of_name = shown.rows[row.name];
      ++of_name.num;
      of_name.num_held += is_held;
      of_name.sum += row.estimate->value;
    }
  }
  return shown;
}

/// As shown: a release that shows a coefficient counts. Budgets are such that the noise of the
/// release is more than the draw of the records, which these releases share. Intervals without ends
/// hold everything.
TEST(SufficientStatisticsIntervals, CoverAsShown) {
  struct Case {
    EncodedTable table;
    double epsilon;
    int64_t min_shown;
  };
  for (const Case& given : {Case{insurance(), 0.7, 2000},
                            {insurance(), 2, 3500},
                            {alike(), 0.5, 1000},
                            {alike(), 1, 1000},
                            {categories(), 0.3, 10'000},
                            {loans(), 1, 2000}}) {
    const Shown shown = shown_of(given.table, given.epsilon);
    EXPECT_GT(shown.num, given.min_shown) << given.epsilon;
    EXPECT_GE(shown.coverage(), 0.93) << given.epsilon;
    EXPECT_LE(shown.coverage(), 0.98) << given.epsilon;
    EXPECT_GE(shown.coverage_with_ends(), 0.93) << given.epsilon;
    EXPECT_LT(shown.num_unbounded, shown.num / 5) << given.epsilon;
  }
}

/// Of each by itself, also of those that one in ten releases shows, which take lucky noise. Of 300
/// intervals a coverage of .95 gives one below .91 with probability below 3e-3, and of those of
/// smokers the one of intervals that do not allow for the choice was .84.
TEST(SufficientStatisticsIntervals, CoverAlsoOfWhatFewReleasesShow) {
  constexpr int kReleases = 4000;
  const Shown shown = shown_of(insurance(), 0.4, kReleases);
  const Shown::Row& smokes = shown.rows.at("c1=1 (against 0)");
  EXPECT_GT(smokes.num, 300);
  EXPECT_LT(smokes.num, kReleases / 5);
  for (const auto& [name, row] : shown.rows) {
    if (row.num <= 300) continue;
    EXPECT_GE(row.coverage(), 0.91) << name << ", of " << row.num;
  }
}

/// More budget does not hide what less has shown, and the mean of a large effect is about it.
TEST(SufficientStatisticsIntervals, ShowMoreOfMoreBudget) {
  const EncodedTable table = insurance();
  int64_t last = 0;
  for (const double epsilon : {0.5, 1.0, 2.0, 8.0}) {
    const Shown shown = shown_of(table, epsilon);
    EXPECT_GE(shown.num, last) << epsilon;
    last = shown.num;
    if (epsilon < 1) continue;
    const Shown::Row& smokes = shown.rows.at("c1=1 (against 0)");
    EXPECT_GT(smokes.num, 300);
    EXPECT_NEAR(smokes.sum / static_cast<double>(smokes.num), 0.375, 0.1 * 0.375) << epsilon;
  }
}

}  // namespace equinoise::sufficient_statistics_stat_test
