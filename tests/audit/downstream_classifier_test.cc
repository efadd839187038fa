// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/downstream_classifier.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "equinoise/models/generalised_linear.h"
#include "tests/small_tables.h"
#include "tests/test_support.h"

namespace equinoise::downstream_classifier_test {

/// One feature that is 0 or 1, and labels.
EncodedTable yes_no_table(const std::vector<int>& x, const std::vector<int>& y) {
  nlohmann::json rows = nlohmann::json::array();
  for (const int value : x) rows.push_back({value});
  return testing::dense_table(rows, y, 1);
}

/// The gradient of the sum of losses and half the squared norm.
std::vector<double> penalised_gradient(const EncodedTable& table,
                                       const std::vector<double>& parameters) {
  const LogisticModel model(table.feature_names, table.classes);
  const std::vector<uint32_t> records = testing::all_records(table);
  PerSample samples;
  model.per_sample({table, records}, parameters, samples);
  std::vector<double> gradient = parameters;
  model.add_weighted_sum({table, records}, samples, std::vector<double>(records.size(), 1.0),
                         gradient);
  return gradient;
}

TEST(FitLogistic, TheGradientVanishes) {
  const EncodedTable table = testing::mixed_table(2000, 1);
  const std::vector<double> parameters = fit_logistic(table);
  ASSERT_EQ(parameters.size(), table.num_features + size_t{1});
  for (const double slope : penalised_gradient(table, parameters))
    EXPECT_LE(std::fabs(slope), 1e-6 * 2000);
}

TEST(FitLogistic, NullRecordsDoNotCount) {
  EncodedTable table = testing::mixed_table(200, 1);
  const EncodedTable first = testing::mixed_table(100, 1);
  std::fill(table.contributes.begin() + 100, table.contributes.end(), 0);
  const std::vector<double> some = fit_logistic(table);
  const std::vector<double> expected = fit_logistic(first);
  for (size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(some[j], expected[j], 1e-4);
}

TEST(FitLogistic, RecordsCountByTheirWeights) {
  EncodedTable table = testing::mixed_table(200, 1);
  const std::vector<double> plain = fit_logistic(table);
  table.weights.assign(200, 0.01);
  const std::vector<double> equal = fit_logistic(table);
  for (size_t j = 0; j < plain.size(); ++j) EXPECT_NEAR(equal[j], plain[j], 1e-5);
  // Half of the records have nearly all weight, so that each counts twice: twice their losses and
  // the penalty are at their minimum.
  std::fill(table.weights.begin() + 100, table.weights.end(), 1e-12);
  const std::vector<double> first = fit_logistic(table);
  const std::vector<double> gradient = penalised_gradient(testing::mixed_table(100, 1), first);
  for (size_t j = 0; j < first.size(); ++j)
    EXPECT_NEAR(2 * (gradient[j] - first[j]) + first[j], 0, 1e-3);
}

TEST(FitLogistic, SeparableRecordsOfOneClassHaveAMinimumToo) {
  const EncodedTable table = yes_no_table({0, 1, 1}, {1, 1, 1});
  const std::vector<double> parameters = fit_logistic(table);
  for (const double slope : penalised_gradient(table, parameters)) EXPECT_NEAR(slope, 0, 3e-6);
  EXPECT_GT(parameters[1], 0);
}

TEST(FitLogistic, TablesThatAreTooWideAreRefused) {
  EncodedTable table = yes_no_table({0, 1}, {0, 1});
  table.num_features = kMaxDownstreamFeatures + 1;
  EXPECT_ERROR(kUsage,
               HasSubstr("the classifier takes at most 4096 features, but the table has 4097"),
               fit_logistic(table));
}

// The classifier says what x says. Group 0: x = 1 of 3 of 4, positives 2, one of them missed.
// Group 1: x = 1 of 1 of 4, positives 4, three missed.
TEST(TestClassifier, RatesAreThoseOfTheRealRecords) {
  std::vector<int> x;
  for (int i = 0; i < 100; ++i) x.push_back(i % 2);
  const EncodedTable train = yes_no_table(x, x);
  const EncodedTable test = yes_no_table({1, 1, 1, 0, 1, 0, 0, 0}, {1, 0, 0, 1, 1, 1, 1, 1});
  const std::vector<GroupId> groups = {GroupId{0}, GroupId{0}, GroupId{0}, GroupId{0},
                                       GroupId{1}, GroupId{1}, GroupId{1}, GroupId{1}};
  const DownstreamClassifier result = test_classifier(fit_logistic(train), test, groups, 2);
  EXPECT_DOUBLE_EQ(result.overall.accuracy.value, 2.0 / 8);
  EXPECT_DOUBLE_EQ(result.groups[0].false_negative_rate.value, 0.5);
  EXPECT_DOUBLE_EQ(result.groups[1].false_negative_rate.value, 0.75);
  EXPECT_DOUBLE_EQ(result.false_negative_rate.difference_between_groups.value, 0.25);
  EXPECT_DOUBLE_EQ(result.selection_rate.difference_between_groups.value, 0.5);
  EXPECT_DOUBLE_EQ(result.selection_rate.ratio_between_groups, 1.0 / 3);
}

TEST(TestClassifier, GroupsWithoutPositivesHaveNoFalseNegatives) {
  const EncodedTable train = yes_no_table({0, 1, 0, 1}, {0, 1, 0, 1});
  const EncodedTable test = yes_no_table({1, 0, 0, 1}, {1, 1, 0, 0});
  const std::vector<GroupId> groups = {GroupId{0}, GroupId{0}, GroupId{1}, GroupId{1}};
  const DownstreamClassifier result = test_classifier(fit_logistic(train), test, groups, 2);
  EXPECT_FALSE(result.false_negative_rate.is_defined());
  EXPECT_EQ(result.false_negative_rate.left_out, std::vector<size_t>{1});
  EXPECT_DOUBLE_EQ(result.selection_rate.difference_between_groups.value, 0);
}

TEST(PositiveClass, IsNamedOrTheSecondOfTwo) {
  EXPECT_EQ(positive_class({"no", "yes"}, ""), 1U);
  EXPECT_EQ(positive_class({"no", "yes"}, "no"), 0U);
  EXPECT_EQ(positive_class({"low", "middle", "high"}, "high"), 2U);
  EXPECT_ERROR(
      kUsage, HasSubstr("the target has 3 classes; say which is the positive one: --positive high"),
      positive_class({"low", "middle", "high"}, ""));
  EXPECT_ERROR(kUsage, HasSubstr("a classifier needs a categorical target"),
               positive_class({}, ""));
}

TEST(MakeBinary, OneClassAgainstTheOthers) {
  EncodedTable table = yes_no_table({0, 0, 0}, {0, 1, 2});
  table.classes = {"low", "middle", "high"};
  EncodedTable named = table;
  make_binary(named, "middle");
  EXPECT_EQ(named.labels, (std::vector<uint16_t>{0, 1, 0}));
  EXPECT_EQ(named.classes, (std::vector<std::string>{"others", "middle"}));
  EXPECT_ERROR(kUsage, HasSubstr("the target has 3 classes; say which is the positive one"),
               make_binary(table, ""));
  EXPECT_ERROR(kUsage, HasSubstr("did you mean high?"), make_binary(table, "hihg"));
  EncodedTable two = yes_no_table({0, 0}, {0, 1});
  make_binary(two, "0");
  EXPECT_EQ(two.labels, (std::vector<uint16_t>{1, 0}));
  EXPECT_EQ(two.classes, (std::vector<std::string>{"1", "0"}));
  make_binary(two, "");
  EXPECT_EQ(two.labels, (std::vector<uint16_t>{1, 0}));
}

}  // namespace equinoise::downstream_classifier_test
