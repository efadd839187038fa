// SPDX-License-Identifier: Apache-2.0
// Intervals of log odds hold what they say over draws of records and of noise.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "equinoise/models/generalised_linear.h"
#include "equinoise/train/methods/options.h"
#include "equinoise/train/regression/newton_sums.h"
#include "equinoise/train/regression/record_scale.h"
#include "tests/small_tables.h"
#include "tests/train/methods/coefficient_truth.h"
#include "tests/train/seeded_run.h"

namespace equinoise::noisy_newton_stat_test {

/// What each feature adds to the log odds, beside a constant.
const std::map<std::string, double> kTruth = {
    {"dense0", 3},     {"dense1", -2}, {"dense2", 0},   {"first=0", 0},    {"first=1", 0.5},
    {"first=2", -0.7}, {"first=3", 0}, {"second=0", 0}, {"second=1", 0.6}, {"second=2", 0}};

/// What makes coefficients hard to tell.
struct Hard {
  bool is_copied = false;  ///< dense2 is dense0 to two digits
  bool is_rare = false;    ///< second=0 is one in 300
};

/// Numbers that are correlated, and two columns of categories.
EncodedTable table_of(int64_t num_records, uint64_t seed, double constant, const Hard& hard,
                      std::mt19937_64& generator) {
  EncodedTable table = testing::mixed_table(num_records, seed);
  for (int64_t i = 0; i < num_records; ++i) {
    float* x = table.dense.data() + 3 * i;
    x[1] = 0.5F * (x[0] + x[1]);
    if (hard.is_copied) x[2] = std::round(100 * x[0]) / 100;
    uint32_t& second = table.active[static_cast<size_t>(2 * i + 1)];
    if (hard.is_rare && second == 7 && i % 100 != 0) second = 9;
    double score = constant;
    for (size_t j = 0; j < 3; ++j)
      score += kTruth.at(table.feature_names[j]) * static_cast<double>(x[j]);
    for (const uint32_t place : table.active_row(i)) score += kTruth.at(table.feature_names[place]);
    table.labels[static_cast<size_t>(i)] =
        std::bernoulli_distribution(1 / (1 + std::exp(-score)))(generator) ? 1 : 0;
  }
  return table;
}

/// Of a table so large that its draw does not matter much, the regression of the rows up to the
/// intercept.
std::map<std::string, double> fit_of(const EncodedTable& table, double row_bound,
                                     const std::vector<Coefficient>& rows) {
  std::vector<Eigen::Index> kept;
  for (const Coefficient& row : rows) {
    if (row.name == "intercept") break;
    const auto feature =
        std::ranges::find(table.feature_names, row.name.substr(0, row.name.find(' ')));
    kept.push_back(feature - table.feature_names.begin());
  }
  const size_t num_kept = kept.size();
  kept.push_back(table.num_features);
  const NewtonSums sums(row_bound, 0x1p-40);
  Eigen::VectorXd at = Eigen::VectorXd::Zero(table.num_features + 1);
  for (int k = 0; k < 8; ++k) {
    const NoisyCurvature exact = sums.read(sums.sum_up(table, at), table.num_features, 0);
    const Eigen::MatrixXd second = exact.second(kept, kept);
    const Eigen::VectorXd gradient = exact.gradient(kept);
    at(kept) -= second.ldlt().solve(gradient);
  }
  std::map<std::string, double> fit;
  for (size_t j = 0; j < num_kept; ++j)
    fit[rows[j].name] = at(kept[j]) / table.scale_of(static_cast<size_t>(kept[j])).half_width;
  return fit;
}

/// What coefficients are without noise: what made the table, unless something is left out of the
/// regression, which is then another one.
class Truths {
 public:
  Truths(double constant, const Hard& hard, double row_bound)
      : constant_(constant), hard_(hard), row_bound_(row_bound) {}

  double of(const std::string& name, const std::vector<Coefficient>& rows) {
    if (rows.back().name == "intercept") return testing::truth_of(kTruth, name);
    std::string names;
    for (const Coefficient& row : rows) names += row.name + ";";
    const auto [fit, is_new] = fits_.try_emplace(names);
    if (is_new) fit->second = fit_of(table(), row_bound_, rows);
    return fit->second.at(name);
  }

 private:
  const EncodedTable& table() {
    std::mt19937_64 generator(99);
    if (!table_) table_ = table_of(200'000, 99, constant_, hard_, generator);
    return *table_;
  }

  double constant_;
  Hard hard_;
  double row_bound_;
  std::optional<EncodedTable> table_ = {};
  std::map<std::string, std::map<std::string, double>> fits_ = {};
};

struct Coverage {
  int64_t told = 0;
  int64_t held = 0;
  int64_t unbounded = 0;  ///< of these
  int64_t withheld = 0;
  int64_t none = 0;  ///< releases without any

  double share() const { return static_cast<double>(held) / static_cast<double>(told); }
  /// Of the intervals with ends, which are those that reports show.
  double share_with_ends() const {
    return static_cast<double>(held - unbounded) / static_cast<double>(told - unbounded);
  }
};

/// 200 tables, a release of each.
Coverage coverage_of(int64_t num_records, double epsilon, int64_t newton_steps, double constant,
                     uint64_t seed, const Hard& hard = {}) {
  constexpr int kReleases = 200;
  TrainingFacts facts{num_records, 11};
  facts.model = "logistic";
  facts.row_norm = 2;
  TrainingConfig config;
  config.epsilon = epsilon;
  config.delta = 1e-6;
  config.own.of<NewtonOptions>().newton_steps = newton_steps;
  const TrainingMethod& method = testing::method_of("noisy_newton");
  const TrainingPlan plan = method.plan(config, facts);
  Coverage coverage;
  Truths truths(constant, hard, usual_row_bound(facts));
  std::mt19937_64 generator(seed);
  for (int release = 0; release < kReleases; ++release) {
    const uint64_t own_seed = seed * 1000 + static_cast<uint64_t>(release);
    const EncodedTable table = table_of(num_records, own_seed, constant, hard, generator);
    const LogisticModel model(table.feature_names, table.classes);
    const TrainedModel trained = testing::run_with_seed(method, table, model, plan, own_seed);
    if (!trained.coefficients) continue;
    EXPECT_EQ(trained.coefficients->log_odds_of, "yes");
    const int64_t before = coverage.told;
    for (const Coefficient& row : trained.coefficients->rows) {
      coverage.withheld += row.estimate ? 0 : 1;
      if (!row.estimate || row.name == "intercept") continue;
      ++coverage.told;
      coverage.unbounded += std::isinf(row.estimate->low) ? 1 : 0;
      const double truth = truths.of(row.name, trained.coefficients->rows);
      coverage.held += row.estimate->low <= truth && truth <= row.estimate->high ? 1 : 0;
    }
    coverage.none += coverage.told == before ? 1 : 0;
  }
  return coverage;
}

/// 1,600 intervals with some dependence within a release: a true coverage of 0.95 gives less than
/// 0.93 or more than 0.97 with probability below 1e-3.
TEST(NoisyNewtonIntervals, CoverWhatTheySay) {
  const Coverage plain = coverage_of(6000, 3, 0, -1, 1);
  EXPECT_EQ(plain.withheld, 0);
  EXPECT_GE(plain.share(), 0.93);
  EXPECT_LE(plain.share(), 0.97);
  // Of a class that one in ten is in.
  const Coverage rare = coverage_of(10'000, 3, 4, -3.5, 2);
  EXPECT_GT(rare.told, 1000);
  EXPECT_GE(rare.share(), 0.93);
  EXPECT_LE(rare.share(), 0.97);
  // Where noise matters more than the draw of the records.
  const Coverage noisy = coverage_of(6000, 1, 3, -1, 3);
  EXPECT_GT(noisy.told, 1000);
  EXPECT_GE(noisy.share(), 0.93);
  EXPECT_LE(noisy.share(), 0.975);
}

/// More budget shows more: neither a column that is there twice nor a category of 20 people hides
/// the others.
TEST(NoisyNewtonIntervals, TellWhatOtherColumnsDoNotHide) {
  for (const Hard& hard : {Hard{.is_copied = true}, {.is_rare = true}, {true, true}}) {
    int64_t last = 0;
    for (const double epsilon : {1.0, 2.0, 3.0, 8.0}) {
      const Coverage found = coverage_of(6000, epsilon, 0, -1, 7, hard);
      EXPECT_EQ(found.none, 0) << epsilon;
      EXPECT_GE(found.told, 200 * 5) << epsilon;
      EXPECT_GE(found.told, last) << epsilon;
      EXPECT_GE(found.share(), 0.93) << epsilon;
      EXPECT_LE(found.share(), 0.98) << epsilon;
      EXPECT_GE(found.share_with_ends(), 0.93) << epsilon;
      last = found.told;
    }
  }
}

/// One step from no slopes is not where second derivatives are those of the truth, and too much
/// noise leaves nothing to tell.
TEST(NoisyNewtonIntervals, AreWithheldWhereTheyWouldNotCover) {
  EXPECT_EQ(coverage_of(60'000, 8, 1, -1, 4).told, 0);
  EXPECT_EQ(coverage_of(500, 0.5, 0, -1, 5).told, 0);
}

/// Also where noise hides several columns, so that each release is of another regression.
TEST(NoisyNewtonIntervals, CoverWhatIsShownOfMuchNoise) {
  for (const int64_t num_records : {1500, 2000}) {
    const Coverage edge = coverage_of(num_records, 1, 0, -1, 6);
    EXPECT_GT(edge.withheld, 100);
    EXPECT_GT(edge.told, 1000);
    EXPECT_GE(edge.share(), 0.93);
    EXPECT_LT(edge.share(), 1);
    EXPECT_GE(edge.share_with_ends(), 0.93);
  }
}

}  // namespace equinoise::noisy_newton_stat_test
