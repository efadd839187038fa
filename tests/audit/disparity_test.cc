// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/disparity.h"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "tests/audit/predicted_tables.h"
#include "tests/shared_vectors.h"
#include "tests/test_support.h"

namespace equinoise::disparity_test {

using nlohmann::json;
using testing::group_metrics;
using testing::overall_metrics;

/// A null of the vectors is a NaN of ours.
void expect_figure(double got, const json& want, const json& tolerance, const std::string& what) {
  if (want.is_null()) {
    EXPECT_TRUE(std::isnan(got)) << what << ": got " << got << ", want none";
  } else {
    testing::expect_close(got, want, tolerance, what);
  }
}

/// The vectors' name of a metric is ours but for two abbreviations.
std::string our_name(const std::string& name) {
  if (name == "mae") return "mean_absolute_error";
  if (name == "mse") return "mean_squared_error";
  return name;
}

/// Deviation: a rate of nobody has no value, which the vectors, as fairlearn, call 0.
bool is_of_nobody(const MetricRow& row, const Metrics& metrics) {
  return metrics.num_records > 0 && std::isnan((metrics.*row.estimate).value);
}

void expect_metric(const json& want, const MetricRow& row, const std::vector<Metrics>& groups,
                   const Metrics& overall, const json& tolerance, const std::string& what) {
  const auto value = [&](const Metrics& metrics) { return (metrics.*row.estimate).value; };
  const auto expect = [&](double got, const std::string& key) {
    if (want.contains(key)) expect_figure(got, want[key], tolerance, what + " " + key);
  };
  ASSERT_EQ(groups.size(), want["by_group"].size()) << what;
  bool any_is_of_nobody = false;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (is_of_nobody(row, groups[g])) {
      any_is_of_nobody = true;
      EXPECT_EQ(want["by_group"][g], 0) << what;
      continue;
    }
    expect_figure(value(groups[g]), want["by_group"][g], tolerance, what + " by group");
  }
  if (any_is_of_nobody) return;
  expect(value(overall), "overall");
  const Disparity found = disparity_in(row, groups, overall);
  EXPECT_EQ(found.metric, row.name);
  expect(value(groups[found.lowest]), "group_min");
  expect(value(groups[found.highest]), "group_max");
  expect(found.difference_between_groups.value, "difference_between_groups");
  expect(found.difference_to_overall, "difference_to_overall");
  expect(found.ratio_between_groups, "ratio_between_groups");
  expect(found.ratio_to_overall, "ratio_to_overall");
}

TEST(Disparity, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/group_metrics.json");
  std::set<std::string> kinds;
  for (const auto& c : cases) {
    if (c["kind"] != "classification" && c["kind"] != "regression") continue;
    kinds.insert(c["kind"]);
    const testing::PredictedTable data = testing::predicted_table(c);
    const std::vector<Metrics> groups = group_metrics(data);
    const Metrics overall = overall_metrics(data);
    for (const auto& [name, want] : c["expected"]["metrics"].items()) {
      expect_metric(want, find_metric(our_name(name)), groups, overall, c["tolerance"],
                    c["id"].get<std::string>() + " " + name);
    }
  }
  EXPECT_THAT(kinds, ElementsAre("classification", "regression"));
}

TEST(MetricRows, FitTheTargetsThatHaveThem) {
  const auto expect_fit = [](size_t num_classes, const Metrics& metrics) {
    for (const MetricRow& row : metric_rows()) {
      EXPECT_EQ(row.fits(num_classes), !std::isnan((metrics.*row.estimate).value))
          << row.name << " of " << num_classes << " classes";
    }
  };
  expect_fit(0, overall_metrics(testing::regressed({1, 2}, {1, 3})));
  expect_fit(2, overall_metrics(testing::classified({0, 1}, {0, 1}, {1, 1})));
  expect_fit(3, overall_metrics(testing::classified({0, 1}, {0, 0}, {1, 1}, 3)));
}

TEST(DemographicParity, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/group_metrics.json");
  int checked = 0;
  for (const auto& c : cases) {
    if (c["kind"] != "classification") continue;
    const testing::PredictedTable data = testing::predicted_table(c);
    const std::vector<Metrics> groups = group_metrics(data);
    const Metrics overall = overall_metrics(data);
    const Disparity selection = disparity_in(find_metric("selection_rate"), groups, overall);
    const std::map<std::string, double> ours = {
        {"demographic_parity_difference_between_groups", selection.difference_between_groups.value},
        {"demographic_parity_difference_to_overall", selection.difference_to_overall},
        {"demographic_parity_ratio_between_groups", selection.ratio_between_groups},
        {"demographic_parity_ratio_to_overall", selection.ratio_to_overall}};
    for (const auto& [name, want] : c["expected"]["parity"].items()) {
      if (name.starts_with("equalized_odds")) continue;
      ++checked;
      ASSERT_TRUE(ours.contains(name)) << name;
      expect_figure(ours.at(name), want, c["tolerance"], c["id"].get<std::string>() + " " + name);
    }
  }
  EXPECT_GT(checked, 0);
}

/// 56 of 70 against 48 of 80, table II (a) of Newcombe's paper, method 10.
TEST(Disparity, DifferenceOfProportionsHasNewcombesInterval) {
  std::vector<Metrics> groups(2);
  groups[0].accuracy = {48.0 / 80, score_interval(48.0 / 80, 80)};
  groups[1].accuracy = {56.0 / 70, score_interval(56.0 / 70, 70)};
  const Estimate difference =
      disparity_in(find_metric("accuracy"), groups, Metrics()).difference_between_groups;
  EXPECT_NEAR(difference.value, 0.2, 1e-15);
  EXPECT_NEAR(difference.interval.low, 0.0524, 5e-5);
  EXPECT_NEAR(difference.interval.high, 0.3339, 5e-5);
}

TEST(Disparity, DifferenceOfMeansAddsHalfWidthsInQuadrature) {
  std::vector<Metrics> groups(2);
  groups[0].loss = {5, {1, 9}};
  groups[1].loss = {2, {-1, 5}};
  const Disparity found = disparity_in(find_metric("loss"), groups, Metrics());
  EXPECT_EQ(found.lowest, 1U);
  EXPECT_EQ(found.highest, 0U);
  EXPECT_DOUBLE_EQ(found.difference_between_groups.value, 3);
  EXPECT_DOUBLE_EQ(found.difference_between_groups.interval.low, -2);
  EXPECT_DOUBLE_EQ(found.difference_between_groups.interval.high, 8);
}

// 1,000 of 1,000 against 4 of 4: the interval is not that of the large group with itself.
TEST(Disparity, AtATieTwoGroupsAreCompared) {
  std::vector<Metrics> groups(2);
  groups[0].accuracy = {1, score_interval(1, 1000)};
  groups[1].accuracy = {1, score_interval(1, 4)};
  const Disparity found = disparity_in(find_metric("accuracy"), groups, groups[0]);
  EXPECT_EQ(found.lowest, 1U);
  EXPECT_EQ(found.highest, 0U);
  EXPECT_EQ(found.difference_between_groups.value, 0);
  EXPECT_DOUBLE_EQ(found.difference_between_groups.interval.low,
                   groups[0].accuracy.interval.low - 1);
  EXPECT_DOUBLE_EQ(found.difference_between_groups.interval.high,
                   1 - groups[1].accuracy.interval.low);
  EXPECT_EQ(found.ratio_between_groups, 1);
  // A single group is compared with itself, as ever.
  const Disparity one = disparity_in(find_metric("accuracy"), std::span(groups).first(1), {});
  EXPECT_EQ(one.lowest, one.highest);
  EXPECT_EQ(one.difference_between_groups.value, 0);
}

TEST(CostGap, AtATieTheLeastKnownGroupsAreCompared) {
  std::vector<Cost> groups(3);
  groups[0].loss = {0, {-1, 1}};
  groups[1].loss = {0, {-8, 8}};
  groups[2].loss = {0, {-6, 6}};
  for (Cost& group : groups) group.num_records = 9;
  const CostGap found = cost_gap(groups, &Cost::loss);
  EXPECT_EQ(found.lowest, 1U);
  EXPECT_EQ(found.highest, 2U);
  EXPECT_DOUBLE_EQ(found.gap.interval.low, -10);
  EXPECT_DOUBLE_EQ(found.gap.interval.high, 10);
}

TEST(CostGap, IsBetweenThoseWhoLoseMostAndLeast) {
  std::vector<Cost> groups(4);  // the first one has no records
  groups[1].loss = {5, {1, 9}};
  groups[2].loss = {4, {3, 5}};
  groups[3].loss = {-2, {-5, 1}};
  for (size_t k = 1; k < 4; ++k) groups[k].num_records = 9;
  const CostGap found = cost_gap(groups, &Cost::loss);
  EXPECT_EQ(found.lowest, 3U);
  EXPECT_EQ(found.highest, 1U);
  EXPECT_DOUBLE_EQ(found.gap.value, 7);
  EXPECT_DOUBLE_EQ(found.gap.interval.low, 2);
  EXPECT_DOUBLE_EQ(found.gap.interval.high, 12);
  EXPECT_TRUE(std::isnan(cost_gap(groups, &Cost::accuracy).gap.value));
  EXPECT_TRUE(std::isnan(cost_gap({}, &Cost::loss).gap.value));
  // One group is no two, and one of which nothing is known may be the one that loses most.
  EXPECT_TRUE(std::isnan(cost_gap(std::span(groups).first(2), &Cost::loss).gap.value));
  for (const double unknown : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    groups[2].loss.value = unknown;
    EXPECT_TRUE(std::isnan(cost_gap(groups, &Cost::loss).gap.value));
  }
}

TEST(Disparity, GroupsWithoutRecordsAreLeftOutWhereverTheyStand) {
  std::vector<Metrics> groups(4);
  groups[1].accuracy.value = 0.5;
  groups[3].accuracy.value = 0.75;
  Metrics overall;
  overall.accuracy.value = 0.6;
  const Disparity found = disparity_in(find_metric("accuracy"), groups, overall);
  EXPECT_EQ(found.lowest, 1U);
  EXPECT_EQ(found.highest, 3U);
  EXPECT_DOUBLE_EQ(found.difference_between_groups.value, 0.25);
  EXPECT_DOUBLE_EQ(found.difference_to_overall, 0.15);
  EXPECT_THAT(found.left_out, ElementsAre(0, 2));
  // Of one group there is no difference, whatever it is.
  groups[3].accuracy.value = HUGE_VAL;
  const Disparity one = disparity_in(find_metric("accuracy"), groups, overall);
  EXPECT_FALSE(one.is_defined());
  EXPECT_TRUE(std::isnan(one.ratio_between_groups));
  EXPECT_THAT(one.left_out, ElementsAre(0, 2, 3));
}

TEST(Disparity, RatiosOfSignedFiguresAreUndefined) {
  std::vector<Metrics> groups(2);
  groups[0].mean_error.value = -1;
  groups[1].mean_error.value = 3;
  Metrics overall;
  overall.mean_error.value = 1;
  const Disparity found = disparity_in(find_metric("mean_error"), groups, overall);
  EXPECT_DOUBLE_EQ(found.difference_between_groups.value, 4);
  EXPECT_TRUE(std::isnan(found.ratio_between_groups));
  EXPECT_TRUE(std::isnan(found.ratio_to_overall));
  // Nor is that of two gaps that chance put on one side of 0.
  for (const auto& [name, figure] : {std::pair("mean_error", &Metrics::mean_error),
                                     std::pair("calibration_gap", &Metrics::calibration_gap)}) {
    (groups[0].*figure).value = 0.001;
    (groups[1].*figure).value = 0.04;
    (overall.*figure).value = 0.02;
    const Disparity gap = disparity_in(find_metric(name), groups, overall);
    EXPECT_DOUBLE_EQ(gap.difference_between_groups.value, 0.039);
    EXPECT_TRUE(std::isnan(gap.ratio_between_groups));
    EXPECT_TRUE(std::isnan(gap.ratio_to_overall));
  }
}

TEST(Disparities, ListTheMetricsOfTheTarget) {
  testing::PredictedTable data = testing::classified({0, 1, 2, 0}, {0, 1, 1, 0}, {1, 2, 3, 4}, 3);
  data.num_groups = 3;
  data.group_of = {GroupId{0}, GroupId{0}, GroupId{2}, GroupId{2}};
  std::vector<std::string_view> names;
  for (const Disparity& found : disparities(group_metrics(data), overall_metrics(data), 3)) {
    names.push_back(found.metric);
    EXPECT_TRUE(found.is_defined());
  }
  EXPECT_THAT(names, ElementsAre("accuracy", "error", "loss"));
  data.group_of.assign(4, GroupId{2});
  for (const Disparity& found : disparities(group_metrics(data), overall_metrics(data), 3))
    EXPECT_FALSE(found.is_defined()) << found.metric;
  EXPECT_TRUE(disparities({}, overall_metrics(data), 3).empty());
}

TEST(FindMetric, ProposesTheNearestName) {
  EXPECT_EQ(find_metric("rmse").name, "rmse");
  EXPECT_ERROR(kUsage, HasSubstr("did you mean \"accuracy\""), find_metric("accurracy"));
  EXPECT_ERROR(kUsage, HasAll("selection_rate", "mean_error"), find_metric("x"));
}

}  // namespace equinoise::disparity_test
