// SPDX-License-Identifier: Apache-2.0
// Metrics of records that count by survey weights.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <utility>

#include "equinoise/audit/disparity.h"
#include "equinoise/audit/group_limit.h"
#include "equinoise/audit/score_curves.h"
#include "tests/audit/predicted_tables.h"

namespace equinoise::weighted_metrics_test {

using testing::PredictedTable;

double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
}

double normal(std::mt19937_64& random) {
  return std::sqrt(-2 * std::log(uniform(random))) * std::cos(2 * M_PI * uniform(random));
}

/// Records of two classes with probabilities, some of which tie, in three groups.
PredictedTable scored(size_t num_records, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint16_t> labels;
  std::vector<uint16_t> predicted;
  std::vector<double> loss;
  std::vector<double> outputs;
  for (size_t i = 0; i < num_records; ++i) {
    const double probability = std::ceil(uniform(random) * 20) / 21;
    labels.push_back(uniform(random) < probability ? 1 : 0);
    predicted.push_back(probability > 0.5 ? 1 : 0);
    loss.push_back(-std::log(labels.back() == 1 ? probability : 1 - probability));
    outputs.insert(outputs.end(), {1 - probability, probability});
  }
  PredictedTable data = testing::classified(labels, predicted, loss);
  data.predictions.outputs = outputs;
  data.num_groups = 3;
  for (size_t i = 0; i < num_records; ++i)
    data.group_of[i] = GroupId{static_cast<uint32_t>(random() % 3)};
  return data;
}

PredictedTable numbered(size_t num_records, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<float> targets;
  std::vector<double> outputs;
  for (size_t i = 0; i < num_records; ++i) {
    targets.push_back(static_cast<float>(normal(random)));
    outputs.push_back(static_cast<double>(targets.back()) + normal(random) / 2);
  }
  return testing::regressed(std::move(targets), std::move(outputs), 3);
}

void expect_same(const Estimate& a, const Estimate& b, std::string_view name) {
  if (std::isnan(b.value)) {
    EXPECT_TRUE(std::isnan(a.value)) << name;
    return;
  }
  EXPECT_NEAR(a.value, b.value, 1e-12) << name;
  EXPECT_NEAR(a.interval.low, b.interval.low, 1e-12) << name;
  EXPECT_NEAR(a.interval.high, b.interval.high, 1e-12) << name;
  if (std::isnan(b.num_effective)) return;
  EXPECT_NEAR(a.num_effective, b.num_effective, 1e-9 * b.num_effective) << name;
}

TEST(WeightedMetrics, EqualWeightsChangeNothing) {
  for (const PredictedTable& plain : {scored(300, 1), numbered(100, 2)}) {
    PredictedTable weighted = plain;
    weighted.table.weights.assign(plain.group_of.size(), 0.37);
    const std::vector<Metrics> before = testing::group_metrics(plain);
    const std::vector<Metrics> after = testing::group_metrics(weighted);
    for (size_t group = 0; group < before.size(); ++group) {
      EXPECT_EQ(after[group].num_records, before[group].num_records);
      EXPECT_EQ(after[group].num_positives, before[group].num_positives);
      EXPECT_NEAR(after[group].effective_records, static_cast<double>(before[group].num_records),
                  1e-9);
      for (const MetricRow& row : metric_rows())
        expect_same(after[group].*row.estimate, before[group].*row.estimate, row.name);
    }
    Predictions reference = plain.predictions;
    for (size_t i = 0; i < reference.predicted.size(); i += 7) reference.predicted[i] ^= 1;
    for (double& loss : reference.loss) loss *= 1.1;
    const Cost cost = overall_cost(weighted.table, weighted.predictions, reference);
    const Cost of_plain = overall_cost(plain.table, plain.predictions, reference);
    expect_same(cost.accuracy, of_plain.accuracy, "accuracy cost");
    expect_same(cost.loss, of_plain.loss, "loss cost");
    const auto curves =
        score_curves(weighted.table, weighted.predictions, one_group(weighted.table), 1);
    const auto of_plain_curves =
        score_curves(plain.table, plain.predictions, one_group(plain.table), 1);
    ASSERT_EQ(curves.size(), of_plain_curves.size());
    for (size_t i = 0; !curves.empty() && i < curves[0].roc.size(); ++i)
      EXPECT_NEAR(curves[0].roc[i].true_positive_rate, of_plain_curves[0].roc[i].true_positive_rate,
                  1e-12);
    for (size_t i = 0; !curves.empty() && i < curves[0].calibration.size(); ++i)
      expect_same(curves[0].calibration[i].share, of_plain_curves[0].calibration[i].share, "bin");
  }
}

// A record of weight 3 is three records, as far as figures go; it is one for their intervals.
TEST(WeightedMetrics, FiguresAreThoseOfCopies) {
  for (const PredictedTable& plain : {scored(90, 3), numbered(50, 4)}) {
    PredictedTable weighted = plain;
    PredictedTable copied = plain;
    const auto copy = [&](auto& to, const auto& from, size_t i, size_t width = 1) {
      if (from.size() < (i + 1) * width) return;
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(i * width),
                from.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
    };
    const bool is_numeric = plain.table.classes.empty();
    for (size_t i = 0; i < plain.group_of.size(); ++i) {
      weighted.table.weights.push_back(static_cast<double>(i % 3 + 1) / 3);
      for (size_t times = 0; times < i % 3; ++times) {
        copy(copied.table.labels, plain.table.labels, i);
        copy(copied.table.targets, plain.table.targets, i);
        copy(copied.predictions.predicted, plain.predictions.predicted, i);
        copy(copied.predictions.outputs, plain.predictions.outputs, i, is_numeric ? 1 : 2);
        copy(copied.predictions.loss, plain.predictions.loss, i);
        copied.group_of.push_back(plain.group_of[i]);
        copied.table.contributes.push_back(1);
        ++copied.table.num_records;
      }
    }
    const std::vector<Metrics> of_copies = testing::group_metrics(copied);
    const std::vector<Metrics> by_weight = testing::group_metrics(weighted);
    for (size_t group = 0; group < of_copies.size(); ++group) {
      EXPECT_NEAR(3 * by_weight[group].weight, static_cast<double>(of_copies[group].num_records),
                  1e-9);
      for (const MetricRow& row : metric_rows()) {
        if (!row.fits(plain.table.classes.size())) continue;
        const Estimate& weighed = by_weight[group].*row.estimate;
        const Estimate& copies = of_copies[group].*row.estimate;
        EXPECT_NEAR(weighed.value, copies.value, 1e-12) << row.name;
        EXPECT_GT(weighed.interval.high - weighed.interval.low,
                  copies.interval.high - copies.interval.low)
            << row.name;
      }
    }
  }
}

/// How outcomes follow weights: log-odds of an outcome are `intercept` + `slope` * log(weight),
/// weights lognormal.
struct Survey {
  size_t num_records;
  double spread;  ///< standard deviation of log(weight)
  double intercept;
  double slope;
};

/// A table of negatives, of which the outcome is predicted, and whose scores follow the weights,
/// too: their mean is the calibration gap.
PredictedTable sampled(const Survey& survey, std::mt19937_64& random) {
  std::vector<uint16_t> predicted;
  std::vector<double> outputs;
  std::vector<double> weights;
  for (size_t i = 0; i < survey.num_records; ++i) {
    const double logarithm = survey.spread * normal(random);
    weights.push_back(std::exp(logarithm));
    const double odds = survey.intercept + survey.slope * logarithm;
    predicted.push_back(uniform(random) < 1 / (1 + std::exp(-odds)) ? 1 : 0);
    const double score = survey.slope * logarithm + (1 + 0.5 * survey.slope) * normal(random);
    outputs.insert(outputs.end(), {1 - score, score});
  }
  const size_t num_records = predicted.size();
  PredictedTable data =
      testing::classified(std::vector<uint16_t>(num_records, 0), std::move(predicted),
                          std::vector<double>(num_records, 1));
  data.predictions.outputs = std::move(outputs);
  data.table.weights = std::move(weights);
  return data;
}

/// Of the population that tables are drawn from, by weight: the share of the outcome, over all
/// weights, and the mean loss.
std::pair<double, double> truth_of(const Survey& survey) {
  double weight = 0;
  double outcomes = 0;
  for (double z = -10; z < 10; z += 0.001) {
    const double mass = std::exp(survey.spread * z - z * z / 2);
    weight += mass;
    outcomes += mass / (1 + std::exp(-survey.intercept - survey.slope * survey.spread * z));
  }
  return {outcomes / weight, survey.slope * survey.spread * survey.spread};
}

class WeightedIntervals : public ::testing::TestWithParam<Survey> {};

TEST_P(WeightedIntervals, CoverWhatTheySay) {
  constexpr int kTables = 1500;
  std::mt19937_64 random(11);
  const auto [share, mean] = truth_of(GetParam());
  int rates = 0;
  int means = 0;
  for (int i = 0; i < kTables; ++i) {
    const Metrics metrics = testing::overall_metrics(sampled(GetParam(), random));
    const auto covers = [](const Interval& interval, double value) {
      return interval.low <= value && value <= interval.high ? 1 : 0;
    };
    rates += covers(metrics.selection_rate.interval, share);
    means += covers(metrics.calibration_gap.interval, mean);
  }
  EXPECT_GE(rates, 0.93 * kTables);
  EXPECT_LE(rates, 0.97 * kTables);
  EXPECT_GE(means, 0.93 * kTables);
  EXPECT_LE(means, 0.97 * kTables);
}

INSTANTIATE_TEST_SUITE_P(, WeightedIntervals,
                         ::testing::Values(Survey{300, 0, 0.5, 0}, Survey{100, 0.5, -1, 0},
                                           Survey{400, 0.8, -2, 0}, Survey{400, 0.5, 0, 1},
                                           Survey{400, 0.6, -2, 0.8}, Survey{150, 0.5, 0, -1}));

/// The score interval of a share of so many records of equal weight.
bool score_covers(double share, double n, double truth) {
  const double quantile = 1.959963984540054;
  return std::fabs(share - truth) <= quantile * std::sqrt(truth * (1 - truth) / n);
}

// Weights that differ much and follow a rare outcome are the hardest; by Kish's effective size,
// which takes for granted that they do not, intervals hold far less.
TEST(WeightedMetrics, WhereWeightsFollowARareOutcomeKishsSizeIsNotEnough) {
  constexpr int kTables = 500;
  const Survey survey{2000, 1, -5.4, 1};
  const double share = truth_of(survey).first;
  std::mt19937_64 random(12);
  int held = 0;
  int held_by_kish = 0;
  for (int i = 0; i < kTables; ++i) {
    const Metrics metrics = testing::overall_metrics(sampled(survey, random));
    const Estimate& rate = metrics.selection_rate;
    held += rate.interval.low <= share && share <= rate.interval.high ? 1 : 0;
    held_by_kish += score_covers(rate.value, metrics.effective_records, share) ? 1 : 0;
  }
  std::printf("share %.3f, seed 12, %d tables: held %.3f, by Kish's size %.3f\n", share, kTables,
              held / static_cast<double>(kTables), held_by_kish / static_cast<double>(kTables));
  EXPECT_GE(held, 0.85 * kTables);
  EXPECT_LE(held_by_kish, 0.85 * kTables);
}

// The interval of equal weights would be a third of that.
TEST(WeightedMetrics, OneRecordWithMostWeightSaysLittle) {
  PredictedTable data = scored(200, 5);
  data.num_groups = 1;
  data.group_of.assign(200, GroupId{0});
  data.table.weights.assign(200, 1e-9);
  data.table.weights[0] = 1;
  const Metrics metrics = testing::group_metrics(data)[0];
  EXPECT_NEAR(metrics.effective_records, 1, 1e-6);
  EXPECT_GT(metrics.accuracy.interval.high - metrics.accuracy.interval.low, 0.7);
  const Metrics plain = testing::group_metrics(scored(200, 5))[0];
  EXPECT_GT(metrics.loss.interval.high - metrics.loss.interval.low,
            plain.loss.interval.high - plain.loss.interval.low);
  // Next to it nothing is left of the others.
  data.table.weights.assign(200, 1e-30);
  data.table.weights[0] = 1;
  EXPECT_TRUE(std::isnan(testing::group_metrics(data)[0].loss.interval.low));
}

// A limit that both groups just keep fails, and one that they just miss holds, in few tables.
TEST(WeightedMetrics, LimitsOnRatiosErrSeldom) {
  constexpr int kTables = 600;
  std::mt19937_64 random(6);
  int wrong_fails = 0;
  int wrong_holds = 0;
  for (int i = 0; i < kTables; ++i) {
    std::vector<Metrics> groups;
    for (const double rate : {0.5, 0.4}) {
      const double odds = std::log(rate / (1 - rate));
      groups.push_back(testing::overall_metrics(sampled({120, 0.6, odds, 0}, random)));
    }
    const MetricRow& metric = find_metric("selection_rate");
    wrong_fails += check_ratio(metric, groups, 0.8).verdict == LimitVerdict::kFails ? 1 : 0;
    wrong_holds += check_ratio(metric, groups, 0.801).verdict == LimitVerdict::kHolds ? 1 : 0;
  }
  EXPECT_LE(wrong_fails, kTables / 25);
  EXPECT_LE(wrong_holds, kTables / 25);
}

}  // namespace equinoise::weighted_metrics_test
