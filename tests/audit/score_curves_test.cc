// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/score_curves.h"

#include <cmath>
#include <limits>

#include "tests/audit/predicted_tables.h"
#include "tests/matchers.h"

namespace equinoise::score_curves_test {

/// Two classes with these probabilities of the second.
testing::PredictedTable scored(std::vector<uint16_t> labels, const std::vector<double>& scores) {
  std::vector<uint16_t> predicted;
  std::vector<double> outputs;
  for (const double score : scores) {
    predicted.push_back(score >= 0.5 ? 1 : 0);
    outputs.insert(outputs.end(), {1 - score, score});
  }
  testing::PredictedTable result =
      testing::classified(std::move(labels), predicted, std::vector<double>(scores.size(), 0.0));
  result.predictions.outputs = outputs;
  return result;
}

ScoreCurves curves_of(const testing::PredictedTable& data,
                      ScoreKind kind = ScoreKind::kProbabilities) {
  return score_curves(data.table, data.predictions, one_group(data.table), 1, kind).front();
}

TEST(ScoreCurves, HaveAPointForEachScore) {
  const ScoreCurves found = curves_of(scored({1, 1, 0, 1, 0}, {0.9, 0.6, 0.6, 0.3, 0.1}));
  ASSERT_THAT(found.roc, SizeIs(4));
  const std::vector<std::array<double, 3>> want = {
      {0.9, 0, 1.0 / 3}, {0.6, 0.5, 2.0 / 3}, {0.3, 0.5, 1}, {0.1, 1, 1}};
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(found.roc[i].threshold, want[i][0]);
    EXPECT_EQ(found.roc[i].false_positive_rate, want[i][1]);
    EXPECT_EQ(found.roc[i].true_positive_rate, want[i][2]);
  }
}

// The area under the points by trapezoids, ties and all, is the area that the metrics give.
TEST(ScoreCurves, AgreeWithTheAreaUnderTheCurve) {
  std::vector<uint16_t> labels;
  std::vector<double> scores;
  for (int i = 0; i < 90; ++i) {
    labels.push_back(i * 7 % 5 < 2 ? 1 : 0);
    scores.push_back((i * 37 % 40 + (labels.back() == 1 ? 10 : 0)) / 50.0);
  }
  const testing::PredictedTable data = scored(labels, scores);
  double area = 0;
  RocPoint last;
  for (const RocPoint& point : curves_of(data).roc) {
    area += (point.false_positive_rate - last.false_positive_rate) *
            (point.true_positive_rate + last.true_positive_rate) / 2;
    last = point;
  }
  EXPECT_NEAR(area, overall_metrics(data).auc.value, 1e-12);
}

TEST(ScoreCurves, ManyScoresHaveExactPointsToo) {
  std::vector<uint16_t> labels;
  std::vector<double> scores;
  for (int i = 0; i < 1000; ++i) {
    labels.push_back(i % 2 == 0 ? 0 : 1);
    scores.push_back(i / 1000.0);
  }
  const std::vector<RocPoint> roc = curves_of(scored(labels, scores)).roc;
  ASSERT_THAT(roc, SizeIs(kMaxRocPoints));
  EXPECT_EQ(roc.front().threshold, 0.999);
  EXPECT_EQ(roc.back().false_positive_rate, 1);
  EXPECT_EQ(roc.back().true_positive_rate, 1);
  for (const RocPoint& point : roc) {
    const double above = std::round(1000 - 1000 * point.threshold);
    EXPECT_NEAR(point.true_positive_rate + point.false_positive_rate, above / 500, 1e-12);
  }
}

TEST(ScoreCurves, BinsHoldEachProbabilityOnce) {
  const ScoreCurves found = curves_of(scored({1, 0, 1, 1, 0}, {0, 0.1, 0.15, 1, 0.95}));
  ASSERT_THAT(found.calibration, SizeIs(kNumCalibrationBins));
  EXPECT_EQ(found.calibration[0].num_records, 1);
  EXPECT_EQ(found.calibration[0].share.value, 1);
  EXPECT_EQ(found.calibration[1].num_records, 2);
  EXPECT_EQ(found.calibration[1].mean_probability, 0.125);
  EXPECT_EQ(found.calibration[1].share.value, 0.5);
  EXPECT_EQ(found.calibration[9].num_records, 2);
  EXPECT_TRUE(std::isnan(found.calibration[5].share.value));
  EXPECT_TRUE(std::isnan(found.calibration[5].mean_probability));
}

TEST(ScoreCurves, SharesOfBinsHaveIntervalsOfUnits) {
  const ScoreCurves once = curves_of(scored({1, 0, 1, 1}, {0.41, 0.42, 0.43, 0.44}));
  const ScoreCurves often = curves_of(testing::of_units(
      scored({1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1},
             {0.41, 0.41, 0.41, 0.42, 0.42, 0.42, 0.43, 0.43, 0.43, 0.44, 0.44, 0.44}),
      {3, 3, 3, 3}));
  const Estimate& expected = once.calibration[4].share;
  const Estimate& found = often.calibration[4].share;
  EXPECT_NEAR(found.value, expected.value, 1e-12);
  EXPECT_NEAR(found.interval.low, expected.interval.low, 1e-9);
  EXPECT_NEAR(found.interval.high, expected.interval.high, 1e-9);
  EXPECT_EQ(often.calibration[4].num_records, 12);
}

TEST(ScoreCurves, WithoutScoresOrClassesThereAreNone) {
  testing::PredictedTable data = scored({1, 1, 0}, {0.9, 0.8, 0.1});
  EXPECT_THAT(curves_of(data, ScoreKind::kScores).calibration, IsEmpty());
  EXPECT_THAT(curves_of(data, ScoreKind::kScores).roc, SizeIs(3));
  EXPECT_TRUE(
      std::isnan(equinoise::overall_metrics(data.table, data.predictions, ScoreKind::kScores)
                     .calibration_gap.value));
  EXPECT_THAT(curves_of(scored({1, 1}, {0.9, 0.8})).roc, IsEmpty());
  data.predictions.outputs[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(curves_of(data).roc, IsEmpty());
  EXPECT_THAT(curves_of(data).calibration, IsEmpty());
  data.predictions.has_probabilities = false;
  EXPECT_THAT(score_curves(data.table, data.predictions, data.group_of, 2), IsEmpty());
  const testing::PredictedTable three = testing::classified({0, 1, 2}, {0, 1, 1}, {0, 0, 0}, 3);
  EXPECT_THAT(score_curves(three.table, three.predictions, three.group_of, 2), IsEmpty());
}

// Each class against the rest is a table of two classes, weights and gaps in predictions included.
TEST(ScoreCurves, OfSeveralClassesAreThoseOfTwo) {
  testing::PredictedTable data =
      testing::classified({0, 1, 2, 0, 1, 2, 0}, {0, 1, 2, 1, 1, 0, 0}, std::vector<double>(7), 3);
  data.predictions.outputs = {0.7, 0.2, 0.1, 0.2, 0.5, 0.3, 0.1, 0.3, 0.6, 0.3, 0.4,
                              0.3, 0.2, 0.7, 0.1, 0.5, 0.2, 0.3, 0.6, 0.2, 0.2};
  data.table.weights = {1, 2, 1, 0.5, 1, 3, 1};
  data.table.contributes[6] = 0;
  data.group_of = {GroupId{0}, GroupId{1}, GroupId{0}, GroupId{1},
                   GroupId{0}, GroupId{0}, GroupId{1}};
  data.num_groups = 2;
  const auto of_several = class_curves(data.table, data.predictions, data.group_of, 2);
  const auto metrics = group_metrics(data.table, data.predictions, data.group_of, 2);
  ASSERT_THAT(of_several, SizeIs(3));
  for (size_t k = 0; k < 3; ++k) {
    std::vector<uint16_t> labels;
    std::vector<double> scores;
    for (size_t i = 0; i < 7; ++i) {
      labels.push_back(data.table.labels[i] == k ? 1 : 0);
      scores.push_back(data.predictions.outputs[3 * i + k]);
    }
    testing::PredictedTable two = scored(labels, scores);
    two.table.weights = data.table.weights;
    two.table.contributes = data.table.contributes;
    const auto expected = score_curves(two.table, two.predictions, data.group_of, 2);
    const auto rates = group_metrics(two.table, two.predictions, data.group_of, 2);
    for (size_t group = 0; group < 2; ++group) {
      const Metrics of_class = class_metrics(metrics[group], k);
      ASSERT_EQ(of_several[k][group].roc.size(), expected[group].roc.size());
      for (size_t i = 0; i < expected[group].roc.size(); ++i) {
        EXPECT_EQ(of_several[k][group].roc[i].true_positive_rate,
                  expected[group].roc[i].true_positive_rate);
      }
      for (size_t bin = 0; bin < kNumCalibrationBins; ++bin) {
        EXPECT_EQ(of_several[k][group].calibration[bin].num_records,
                  expected[group].calibration[bin].num_records);
      }
      const auto same = [](const Estimate& a, const Estimate& b) {
        return a.value == b.value || (std::isnan(a.value) && std::isnan(b.value));
      };
      EXPECT_TRUE(same(of_class.auc, rates[group].auc)) << k << group;
      EXPECT_TRUE(same(of_class.calibration_gap, rates[group].calibration_gap)) << k << group;
    }
  }
  data.predictions.outputs[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(class_curves(data.table, data.predictions, data.group_of, 2)[0][1].roc, IsEmpty());
  const auto open = group_metrics(data.table, data.predictions, data.group_of, 2);
  EXPECT_TRUE(std::isnan(class_metrics(open[1], 0).auc.value));
  EXPECT_FALSE(std::isnan(class_metrics(open[0], 0).auc.value));
  data.predictions.has_probabilities = false;
  EXPECT_THAT(class_curves(data.table, data.predictions, data.group_of, 2), IsEmpty());
}

}  // namespace equinoise::score_curves_test
