// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/group_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "equinoise/audit/disparity.h"
#include "tests/audit/predicted_tables.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"
#include "tests/vector_cases.h"

namespace equinoise::group_metrics_test {

using testing::classified;
using testing::expect_close;
using testing::PredictedTable;
using testing::regressed;

void expect_no_estimate(const Estimate& estimate) {
  EXPECT_TRUE(std::isnan(estimate.value));
  EXPECT_TRUE(std::isnan(estimate.interval.low));
  EXPECT_TRUE(std::isnan(estimate.interval.high));
}

void expect_estimate(const Estimate& estimate, double value, double low, double high) {
  EXPECT_NEAR(estimate.value, value, 1e-12);
  EXPECT_NEAR(estimate.interval.low, low, 1e-12);
  EXPECT_NEAR(estimate.interval.high, high, 1e-12);
}

TEST(GroupMetrics, CountsAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/group_metrics.json");
  for (const auto& c : testing::cases_with(cases, "kind", "classification")) {
    const std::vector<Metrics> metrics = testing::group_metrics(testing::predicted_table(c));
    for (size_t group = 0; group < metrics.size(); ++group) {
      EXPECT_EQ(metrics[group].num_records, c["expected"]["group_count"][group].get<int64_t>())
          << c["id"];
      EXPECT_EQ(metrics[group].num_positives,
                c["expected"]["group_positives"][group].get<int64_t>())
          << c["id"];
    }
  }
}

TEST(Intervals, AgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/group_metrics.json");
  for (const auto& c : testing::cases_with(cases, "kind", "intervals")) {
    for (size_t i = 0; i < c["counts"].size(); ++i) {
      const double trials = c["counts"][i]["trials"];
      const double share = c["counts"][i]["successes"].get<double>() / trials;
      const auto& expected = c["expected"]["intervals"][i];
      const Interval score = score_interval(share, trials, c["confidence"]);
      expect_close(score.low, expected["wilson"][0], c["tolerance"], c["id"]);
      expect_close(score.high, expected["wilson"][1], c["tolerance"], c["id"]);
      const Interval exact = beta_interval(share, trials, c["confidence"]);
      expect_close(exact.low, expected["clopper_pearson"][0], c["tolerance"], c["id"]);
      expect_close(exact.high, expected["clopper_pearson"][1], c["tolerance"], c["id"]);
    }
  }
}

TEST(Intervals, WithoutTrialsThereAreNone) {
  EXPECT_TRUE(std::isnan(score_interval(0, 0).low));
  EXPECT_TRUE(std::isnan(beta_interval(0, 0).high));
}

TEST(Intervals, OfNoneAndAllEndExactly) {
  for (const double trials : {1, 3, 7, 40, 999, 123'457}) {
    EXPECT_EQ(score_interval(0, trials).low, 0) << trials;
    EXPECT_GT(score_interval(0, trials).high, 0) << trials;
    EXPECT_EQ(score_interval(1, trials).high, 1) << trials;
    EXPECT_LT(score_interval(1, trials).low, 1) << trials;
  }
}

TEST(GroupMetrics, ProportionsHaveScoreIntervalsOfTheirOwnDenominators) {
  // 3 of 4 positive, 2 of them found; 1 of 3 predicted positive is negative.
  const Metrics metrics =
      testing::overall_metrics(classified({1, 1, 1, 0}, {1, 1, 0, 1}, {0, 0, 0, 0}));
  const auto expect_proportion = [](const Estimate& estimate, double successes, double trials) {
    const Interval interval = score_interval(successes / trials, trials);
    expect_estimate(estimate, successes / trials, interval.low, interval.high);
  };
  expect_proportion(metrics.accuracy, 2, 4);
  expect_proportion(metrics.error, 2, 4);
  expect_proportion(metrics.selection_rate, 3, 4);
  expect_proportion(metrics.true_positive_rate, 2, 3);
  expect_proportion(metrics.false_negative_rate, 1, 3);
  expect_proportion(metrics.false_positive_rate, 1, 1);
  expect_proportion(metrics.precision, 2, 3);
  expect_no_estimate(metrics.rmse);
}

TEST(GroupMetrics, ARateOfNobodyIsUndefined) {
  const Metrics negatives = testing::overall_metrics(classified({0, 0}, {0, 0}, {1, 3}));
  expect_no_estimate(negatives.true_positive_rate);
  expect_no_estimate(negatives.false_negative_rate);
  expect_no_estimate(negatives.precision);
  EXPECT_EQ(negatives.false_positive_rate.value, 0);
  EXPECT_EQ(negatives.selection_rate.value, 0);
  const Metrics positives = testing::overall_metrics(classified({1, 1}, {1, 1}, {1, 3}));
  expect_no_estimate(positives.false_positive_rate);
  EXPECT_EQ(positives.true_positive_rate.value, 1);
  EXPECT_EQ(positives.precision.value, 1);
}

/// By the definition, all pairs, and the variance of [DeLongEtAl1988] written out.
TEST(GroupMetrics, TheAreaUnderTheCurveIsTheShareOfPairsInOrder) {
  PredictedTable data =
      classified({1, 1, 1, 0, 0, 0, 0}, {1, 1, 0, 1, 0, 0, 0}, {1, 1, 1, 1, 1, 1, 1});
  const std::vector<double> probabilities = {0.9, 0.6, 0.3, 0.6, 0.4, 0.2, 0.1};
  for (size_t i = 0; i < 7; ++i) {
    data.predictions.outputs[2 * i] = 1 - probabilities[i];
    data.predictions.outputs[2 * i + 1] = probabilities[i];
  }
  // Shares of pairs in order: 1, 3.5 / 4 and 2 / 4 of the positives; 2 / 3 ... of the negatives.
  const std::vector<double> of_positives = {1, 0.875, 0.5};
  const std::vector<double> of_negatives = {1.5 / 3, 2. / 3, 1, 1};
  const auto variance = [](const std::vector<double>& shares) {
    double mean = 0;
    double squares = 0;
    const auto n = static_cast<double>(shares.size());
    for (const double share : shares) mean += share / n;
    for (const double share : shares) squares += (share - mean) * (share - mean);
    return squares / (n - 1) / n;
  };
  const Metrics metrics = testing::overall_metrics(data);
  EXPECT_NEAR(metrics.auc.value, 9.5 / 12, 1e-12);
  const double half =
      1.959963984540054 * std::sqrt(variance(of_positives) + variance(of_negatives));
  EXPECT_NEAR(metrics.auc.interval.low, 9.5 / 12 - half, 1e-9);
  EXPECT_EQ(metrics.auc.interval.high, 1);
  EXPECT_NEAR(metrics.calibration_gap.value, 3.1 / 7 - 3. / 7, 1e-12);
  EXPECT_LT(metrics.calibration_gap.interval.low, metrics.calibration_gap.value);
}

TEST(GroupMetrics, PerfectOrderHasNoInterval) {
  const Metrics metrics = testing::overall_metrics(classified({0, 1, 1}, {0, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(metrics.auc.value, 1);
  EXPECT_TRUE(std::isnan(metrics.auc.interval.low));
  const Metrics one_class = testing::overall_metrics(classified({1, 1}, {0, 1}, {1, 1}));
  expect_no_estimate(one_class.auc);
  EXPECT_TRUE(std::isfinite(one_class.calibration_gap.value));
}

TEST(GroupMetrics, RSquaredIsThePartOfTheVarianceThatIsTold) {
  const Metrics metrics = testing::overall_metrics(regressed({1, 2, 3, 6}, {1, 3, 3, 4}, 2));
  // Errors 0, 1, 0, -2 and deviations -2, -1, 0, 3.
  EXPECT_NEAR(metrics.r_squared.value, 1 - 5. / 14, 1e-12);
  EXPECT_LT(metrics.r_squared.interval.low, 1 - 5. / 14);
  expect_no_estimate(testing::overall_metrics(regressed({2, 2}, {1, 3})).r_squared);
  EXPECT_LT(testing::overall_metrics(regressed({1, 2}, {5, 9})).r_squared.value, 0);
}

/// The class that such a record counts as predicted is the first one, whatever the model.
TEST(GroupMetrics, WithoutAPredictionForSomebodyThereAreNone) {
  for (const double lost : {std::nan(""), HUGE_VAL}) {
    PredictedTable classes = classified({0, 1, 0}, {0, 0, 0}, {1, 1, 1});
    classes.predictions.num_outputs = 2;
    classes.predictions.outputs = {1, 0, lost, lost, 1, 0};
    PredictedTable numbers = regressed({1, 2, 3}, {1, lost, 3});
    for (PredictedTable* data : {&classes, &numbers}) {
      data->group_of = {GroupId{0}, GroupId{0}, GroupId{1}};
      data->num_groups = 2;
      const std::vector<Metrics> groups = testing::group_metrics(*data);
      EXPECT_EQ(groups[0].num_records, 2);
      for (const MetricRow& row : metric_rows()) expect_no_estimate(groups[0].*row.estimate);
      EXPECT_TRUE(std::isfinite(groups[1].loss.value));
      const Cost cost =
          group_cost(data->table, data->predictions, data->predictions, data->group_of, 2)[0];
      expect_no_estimate(cost.loss);
      expect_no_estimate(cost.accuracy);
      data->table.contributes[1] = 0;
      EXPECT_TRUE(std::isfinite(testing::group_metrics(*data)[0].loss.value));
    }
  }
}

TEST(GroupMetrics, ManyClassesHaveNoRates) {
  const Metrics metrics = testing::overall_metrics(classified({0, 1, 2}, {0, 1, 1}, {1, 1, 1}, 3));
  EXPECT_DOUBLE_EQ(metrics.accuracy.value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.error.value, 1.0 / 3);
  expect_no_estimate(metrics.selection_rate);
  expect_no_estimate(metrics.true_positive_rate);
  expect_no_estimate(metrics.precision);
}

TEST(GroupMetrics, ErrorsAreInTheTargetsUnits) {
  // Errors 2, -4, 6, 0 in its own units.
  const Metrics metrics =
      testing::overall_metrics(regressed({0, 0.5, 0.25, 1}, {1, -1.5, 3.25, 1}, 2));
  constexpr double kQuantile = 1.959963984540054;
  const double error_half = kQuantile * std::sqrt((1 + 25 + 25 + 1) / 3.0 / 4);
  expect_estimate(metrics.mean_error, 1, 1 - error_half, 1 + error_half);
  const double absolute_half = kQuantile * std::sqrt((1 + 1 + 9 + 9) / 3.0 / 4);
  expect_estimate(metrics.mean_absolute_error, 3, 3 - absolute_half, 3 + absolute_half);
  const double squared_half = kQuantile * std::sqrt((100 + 4 + 484 + 196) / 3.0 / 4);
  expect_estimate(metrics.mean_squared_error, 14, 0, 14 + squared_half);
  expect_estimate(metrics.rmse, std::sqrt(14), 0, std::sqrt(14 + squared_half));
  EXPECT_DOUBLE_EQ(metrics.loss.value, 14.0 / 8);
  expect_no_estimate(metrics.accuracy);
}

TEST(GroupMetrics, OneRecordHasNoIntervalOfAMean) {
  const Metrics metrics = testing::overall_metrics(classified({0}, {0}, {0.5}));
  EXPECT_EQ(metrics.loss.value, 0.5);
  EXPECT_TRUE(std::isnan(metrics.loss.interval.low));
  EXPECT_TRUE(std::isnan(metrics.loss.interval.high));
}

TEST(GroupMetrics, RecordsThatDoNotContributeAreNotCounted) {
  PredictedTable data = classified({0, 1, 1, 0}, {0, 0, 1, 0}, {0.1, 0.9, 5, 0.2});
  data.table.contributes[2] = 0;
  const Metrics metrics = testing::overall_metrics(data);
  EXPECT_EQ(metrics.num_records, 3);
  EXPECT_DOUBLE_EQ(metrics.accuracy.value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.loss.value, 0.4);
}

TEST(GroupMetrics, AGroupWithoutRecordsHasNoFigures) {
  for (PredictedTable data : {classified({0}, {0}, {0.1}), regressed({1}, {2})}) {
    data.group_of = {GroupId{1}};
    data.num_groups = 2;
    const Metrics empty = testing::group_metrics(data)[0];
    EXPECT_EQ(empty.num_records, 0);
    for (const Estimate Metrics::*estimate :
         {&Metrics::loss, &Metrics::accuracy, &Metrics::error, &Metrics::selection_rate,
          &Metrics::true_positive_rate, &Metrics::precision, &Metrics::rmse,
          &Metrics::mean_error}) {
      expect_no_estimate(empty.*estimate);
    }
  }
}

TEST(GroupMetrics, UnitsOfOneRowAreRows) {
  const PredictedTable rows =
      classified({1, 0, 1, 1, 0, 0, 1}, {1, 1, 0, 1, 0, 0, 1}, {0.1, 2, 3, 0.2, 0.5, 0.1, 0.4});
  const Metrics by_rows = overall_metrics(rows);
  const Metrics by_units = overall_metrics(of_units(rows, std::vector<uint32_t>(7, 1)));
  EXPECT_EQ(by_units.num_records, 7);
  for (const auto estimate :
       {&Metrics::loss, &Metrics::accuracy, &Metrics::selection_rate, &Metrics::true_positive_rate,
        &Metrics::precision, &Metrics::calibration_gap}) {
    const Estimate& expected = by_rows.*estimate;
    expect_estimate(by_units.*estimate, expected.value, expected.interval.low,
                    expected.interval.high);
  }
}

/// The same row many times is no more certain than once.
TEST(GroupMetrics, RowsOfAUnitAreNotSeveralUnits) {
  const Metrics once = overall_metrics(of_units(
      classified({1, 0, 1, 1}, {1, 1, 0, 1}, {0.1, 2, 3, 0.2}), std::vector<uint32_t>(4, 1)));
  const Metrics often =
      overall_metrics(of_units(classified({1, 1, 1, 0, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 0, 0, 0, 0, 1},
                                          {0.1, 0.1, 0.1, 2, 3, 3, 3, 3, 0.2}),
                               {3, 1, 4, 1}));
  EXPECT_EQ(often.num_records, 4);
  EXPECT_NEAR(often.effective_records, 4, 1e-12);
  for (const auto estimate : {&Metrics::loss, &Metrics::accuracy, &Metrics::selection_rate,
                              &Metrics::true_positive_rate, &Metrics::precision}) {
    const Estimate& expected = once.*estimate;
    expect_estimate(often.*estimate, expected.value, expected.interval.low, expected.interval.high);
    if (estimate == &Metrics::loss) continue;
    EXPECT_NEAR((often.*estimate).num_effective, expected.num_effective, 1e-9);
  }
}

/// Units whose rows have much to do with each other: intervals of 95 % cover as often. One seed;
/// 400 tables, of which 20 may be missed, 36 by a chance of 1e-3.
TEST(GroupMetrics, IntervalsOfUnitsCover) {
  constexpr int kTables = 400;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform;
  int missed_accuracy = 0;
  int missed_loss = 0;
  int missed_rate = 0;
  for (int i = 0; i < kTables; ++i) {
    std::vector<uint16_t> labels;
    std::vector<uint16_t> predicted;
    std::vector<double> losses;
    std::vector<uint32_t> sizes;
    for (int unit = 0; unit < 150; ++unit) {
      // Rows of a unit are right with a probability of its own, of mean 0.69; its losses share half
      // of their mean of 1.5.
      const double right = uniform(random) < 0.7 ? 0.9 : 0.2;
      const double shared = uniform(random);
      sizes.push_back(1 + static_cast<uint32_t>(8 * uniform(random)));
      for (uint32_t row = 0; row < sizes.back(); ++row) {
        const bool is_right = uniform(random) < right;
        labels.push_back(uniform(random) < 0.4 ? 1 : 0);
        predicted.push_back(is_right ? labels.back() : labels.back() ^ 1U);
        losses.push_back(shared + 2 * uniform(random));
      }
    }
    const Metrics found = overall_metrics(of_units(classified(labels, predicted, losses), sizes));
    const double accuracy = 0.7 * 0.9 + 0.3 * 0.2;
    const auto misses = [](const Estimate& estimate, double truth) {
      return !(estimate.interval.low <= truth && truth <= estimate.interval.high);
    };
    missed_accuracy += misses(found.accuracy, accuracy) ? 1 : 0;
    missed_rate += misses(found.true_positive_rate, accuracy) ? 1 : 0;
    missed_loss += misses(found.loss, 1.5) ? 1 : 0;
  }
  EXPECT_LE(missed_accuracy, 36);
  EXPECT_LE(missed_rate, 36);
  EXPECT_LE(missed_loss, 36);
  // Means of units have intervals of their own spread, neither too wide.
  EXPECT_GE(missed_loss, 6);
}

TEST(GroupMetrics, NeedATargetAndItsPredictions) {
  PredictedTable data = classified({0, 1}, {0, 1}, {0, 0});
  data.predictions.loss.clear();
  EXPECT_NE(error_of(ErrorKind::kUsage, [&] { testing::overall_metrics(data); }), "");
  PredictedTable other = classified({0, 1}, {0}, {0, 0});
  EXPECT_NE(error_of(ErrorKind::kUsage, [&] { testing::overall_metrics(other); }), "");
  PredictedTable unlabelled = classified({0, 1}, {0, 1}, {0, 0});
  unlabelled.table.labels.clear();
  EXPECT_NE(error_of(ErrorKind::kUsage, [&] { testing::overall_metrics(unlabelled); }), "");
}

TEST(PairedDifference, IsTheDifferenceWithAnIntervalAroundIt) {
  const Estimate estimate = paired_difference({30, 30, 30}, {10, 10, 10}, {360, 360, 360});
  EXPECT_DOUBLE_EQ(estimate.value, 0.05);
  EXPECT_LT(estimate.interval.low, 0.05);
  EXPECT_GT(estimate.interval.low, 0);
  EXPECT_GT(estimate.interval.high, 0.05);
}

TEST(PairedDifference, NoDifferenceSeenIsNotNoUncertainty) {
  const Estimate estimate = paired_difference({}, {}, {40, 40, 40});
  EXPECT_EQ(estimate.value, 0);
  EXPECT_LT(estimate.interval.low, -0.01);
  EXPECT_GT(estimate.interval.high, 0.01);
}

TEST(Cost, ComparesTheSameRecords) {
  PredictedTable data = classified({0, 1, 1, 0}, {1, 1, 0, 1}, {3, 1, 2, 100});
  data.table.contributes[3] = 0;
  const Predictions reference = classified({0, 1, 1, 0}, {0, 1, 1, 0}, {1, 1, 1, 0}).predictions;
  const Cost cost = overall_cost(data.table, data.predictions, reference);
  EXPECT_DOUBLE_EQ(cost.accuracy.value, 2.0 / 3);
  // Differences of the loss 2, 0, 1: the interval may go below 0.
  const double half = 1.959963984540054 * std::sqrt(1.0 / 3);
  expect_estimate(cost.loss, 1, 1 - half, 1 + half);
}

TEST(Cost, OfANumericTargetIsInTheLoss) {
  PredictedTable data = regressed({0, 0, 0, 0}, {2, 2, 4, 0});
  data.num_groups = 3;
  data.group_of = {GroupId{0}, GroupId{0}, GroupId{2}, GroupId{2}};
  const Predictions reference = regressed({0, 0, 0, 0}, {0, 2, 2, 2}).predictions;
  const std::vector<Cost> costs =
      group_cost(data.table, data.predictions, reference, data.group_of, data.num_groups);
  ASSERT_EQ(costs.size(), 3U);
  EXPECT_DOUBLE_EQ(costs[0].loss.value, 1);
  EXPECT_DOUBLE_EQ(costs[2].loss.value, 2);
  expect_no_estimate(costs[0].accuracy);
  expect_no_estimate(costs[1].loss);
}

}  // namespace equinoise::group_metrics_test
