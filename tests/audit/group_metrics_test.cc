#include "equinoise/audit/group_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/shared_vectors.h"
#include "tests/small_tables.h"

namespace equinoise {
namespace {

using testing::expect_close;

TEST(GroupMetrics, AccuracyAndLossAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/group_metrics.json");
  int checked = 0;
  for (const auto& c : cases) {
    if (c["kind"] != "classification") continue;
    ++checked;
    const size_t count = c["group"].size();
    EncodedTable table;
    table.num_records = static_cast<int64_t>(count);
    table.labels = c["y_true"].get<std::vector<uint16_t>>();
    table.contributes.assign(count, 1);
    Predictions predictions{c["y_pred"].get<std::vector<uint16_t>>(),
                            c["loss"].get<std::vector<double>>()};
    std::vector<GroupId> group_of;
    for (const auto& group : c["group"]) group_of.push_back(GroupId{group.get<uint32_t>()});
    const std::vector<Metrics> metrics =
        group_metrics(table, predictions, group_of, c["num_groups"]);
    const nlohmann::json& expected = c["expected"];
    for (size_t group = 0; group < metrics.size(); ++group) {
      EXPECT_EQ(metrics[group].num_records, expected["group_count"][group].get<int64_t>())
          << c["id"];
      const auto& accuracy = expected["metrics"]["accuracy"]["by_group"][group];
      if (accuracy.is_null()) {
        EXPECT_TRUE(std::isnan(metrics[group].accuracy.value)) << c["id"];
      } else {
        expect_close(metrics[group].accuracy.value, accuracy, c["tolerance"], c["id"]);
      }
    }
    expect_close(overall_metrics(table, predictions).accuracy.value,
                 expected["metrics"]["accuracy"]["overall"], c["tolerance"], c["id"]);
  }
  EXPECT_GT(checked, 0);
}

TEST(GroupMetrics, ScoreIntervalsAgreeWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/group_metrics.json");
  int checked = 0;
  for (const auto& c : cases) {
    if (c["kind"] != "intervals" || c["confidence"] != 0.95) continue;
    ++checked;
    for (size_t i = 0; i < c["counts"].size(); ++i) {
      const Interval interval =
          score_interval(c["counts"][i]["successes"], c["counts"][i]["trials"]);
      const auto& expected = c["expected"]["intervals"][i]["wilson"];
      expect_close(interval.low, expected[0], {{"rel", 1e-9}, {"abs", 1e-12}}, c["id"]);
      expect_close(interval.high, expected[1], {{"rel", 1e-9}, {"abs", 1e-12}}, c["id"]);
    }
  }
  EXPECT_GT(checked, 0);
}

TEST(GroupMetrics, RecordsThatDoNotContributeAreNotCounted) {
  EncodedTable table;
  table.num_records = 4;
  table.labels = {0, 1, 1, 0};
  table.contributes = {1, 1, 0, 1};
  const Predictions predictions{{0, 0, 1, 0}, {0.1, 0.9, 5, 0.2}};
  const Metrics metrics = overall_metrics(table, predictions);
  EXPECT_EQ(metrics.num_records, 3);
  EXPECT_DOUBLE_EQ(metrics.accuracy.value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(metrics.loss.value, 0.4);
}

TEST(GroupMetrics, AGroupWithoutRecordsHasNoFigures) {
  EncodedTable table;
  table.num_records = 1;
  table.labels = {0};
  table.contributes = {1};
  const Predictions predictions{{0}, {0.1}};
  const std::vector<GroupId> group_of = {GroupId{1}};
  const Metrics empty = group_metrics(table, predictions, group_of, 2)[0];
  EXPECT_EQ(empty.num_records, 0);
  EXPECT_TRUE(std::isnan(empty.accuracy.value));
  EXPECT_TRUE(std::isnan(empty.loss.value));
}

TEST(PairedDifference, IsTheDifferenceWithAnIntervalAroundIt) {
  const Estimate estimate = paired_difference(30, 10, 400);
  EXPECT_DOUBLE_EQ(estimate.value, 0.05);
  EXPECT_LT(estimate.interval.low, 0.05);
  EXPECT_GT(estimate.interval.low, 0);
  EXPECT_GT(estimate.interval.high, 0.05);
}

TEST(PairedDifference, NoDifferenceSeenIsNotNoUncertainty) {
  const Estimate estimate = paired_difference(0, 0, 40);
  EXPECT_EQ(estimate.value, 0);
  EXPECT_LT(estimate.interval.low, -0.01);
  EXPECT_GT(estimate.interval.high, 0.01);
}

TEST(AccuracyCost, ComparesTheSameRecords) {
  EncodedTable table;
  table.num_records = 4;
  table.labels = {0, 1, 1, 0};
  table.contributes = {1, 1, 1, 0};
  const std::vector<double> loss(4, 0);
  const Predictions released{{1, 1, 0, 1}, loss};
  const Predictions reference{{0, 1, 1, 0}, loss};
  EXPECT_DOUBLE_EQ(overall_accuracy_cost(table, released, reference).value, 2.0 / 3);
}

}  // namespace
}  // namespace equinoise
