// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/postprocessing/score_histogram.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "equinoise/models/generalised_linear.h"
#include "tests/small_tables.h"

namespace equinoise::score_histogram_test {

constexpr size_t kBins = ScoreHistogram::kBins;
constexpr double kWidth = 2 * ScoreHistogram::kReach / kBins;

TEST(ScoreHistogram, ReadsTailsAsIfScoresWereSpreadEvenlyInABin) {
  std::vector<double> counts(2 * kBins, 0);
  counts[0] = 5;           // of the first group, below all
  counts[kBins / 2] = 40;  // just above 0
  counts[kBins - 1] = 15;
  counts[kBins + 3] = 8;  // of the second group
  const ScoreHistogram scores(2, 1, counts);
  EXPECT_DOUBLE_EQ(scores.size(0), 60);
  EXPECT_DOUBLE_EQ(scores.size(0, 1), 60);
  EXPECT_DOUBLE_EQ(scores.num_above(0, 0, -100), 60);
  EXPECT_DOUBLE_EQ(scores.num_above(0, 0, 0), 55);
  EXPECT_NEAR(scores.num_above(0, 1, kWidth / 4), 45, 1e-9);
  EXPECT_NEAR(scores.num_above(0, 0, kWidth), 15, 1e-9);
  EXPECT_DOUBLE_EQ(scores.num_above(0, 0, 100), 0);
  EXPECT_DOUBLE_EQ(scores.num_above(1, 0, 0), 0);
  EXPECT_DOUBLE_EQ(scores.size(1), 8);
}

TEST(ScoreHistogram, TellsLabelsApart) {
  std::vector<double> counts(2 * kBins, 0);
  counts[kBins - 1] = 3;
  counts[2 * kBins - 1] = 7;
  const ScoreHistogram scores(1, 2, counts);
  EXPECT_DOUBLE_EQ(scores.size(0), 10);
  EXPECT_DOUBLE_EQ(scores.size(0, 0), 3);
  EXPECT_DOUBLE_EQ(scores.num_above(0, 1, 0), 7);
}

/// The nearest counts that are not negative: what is left of each is shifted alike.
TEST(ScoreHistogram, KeepsTheSumAndNothingNegative) {
  std::vector<double> counts(kBins, 0);
  counts[2] = -6;
  counts[10] = 30;
  counts[20] = 12;
  const ScoreHistogram scores(1, 1, counts);
  EXPECT_DOUBLE_EQ(scores.size(0), 36);
  EXPECT_NEAR(scores.num_above(0, 0, -100), 36, 1e-9);
  EXPECT_NEAR(scores.num_above(0, 0, 0), 9, 1e-9) << "12 - 3";
  EXPECT_EQ(ScoreHistogram(1, 1, std::vector<double>(kBins, -1)).size(0), 0);
}

std::vector<double> weights_of(const Model& model) {
  std::vector<double> parameters(model.num_parameters());
  for (size_t j = 0; j < parameters.size(); ++j)
    parameters[j] = std::sin(static_cast<double>(3 * j + 1));
  return parameters;
}

TEST(CountScores, EachRecordIsInOneCellAtMost) {
  EncodedTable table = testing::mixed_table(5000, 1);
  for (size_t i = 0; i < table.labels.size(); ++i) table.groups.push_back(GroupId(i % 3));
  const LogisticModel model(table.feature_names, table.classes);
  const std::vector<double> parameters = weights_of(model);
  const auto count = [&](const EncodedTable& of) {
    return count_scores(of, model, parameters, 3, 2);
  };
  const std::vector<int64_t> before = count(table);
  EXPECT_EQ(std::accumulate(before.begin(), before.end(), int64_t{0}), 5000);
  for (const size_t record : {size_t{0}, size_t{2100}, size_t{4999}}) {
    EncodedTable neighbour = table;
    neighbour.contributes[record] = 0;
    const std::vector<int64_t> after = count(neighbour);
    int64_t moved = 0;
    for (size_t cell = 0; cell < before.size(); ++cell)
      moved += std::abs(before[cell] - after[cell]);
    EXPECT_EQ(moved, 1);
    neighbour = table;
    neighbour.dense[record * table.num_dense] = std::nanf("");
    EXPECT_EQ(count(neighbour), after) << "as a record without a score";
  }
}

TEST(CountScores, PutsScoresWhereTheyAre) {
  EncodedTable table = testing::mixed_table(50, 1);
  table.groups.assign(50, GroupId(0));
  const LogisticModel model(table.feature_names, table.classes);
  std::vector<double> parameters(model.num_parameters(), 0.0);
  for (const auto& [score, bin] : {std::pair<double, size_t>{-1e9, 0},
                                   {-0.01, kBins / 2 - 1},
                                   {0.01, kBins / 2},
                                   {kWidth + 0.01, kBins / 2 + 1},
                                   {1e9, kBins - 1}}) {
    parameters.back() = score;
    EXPECT_EQ(count_scores(table, model, parameters, 1, 1)[bin], 50) << score;
  }
}

}  // namespace equinoise::score_histogram_test
