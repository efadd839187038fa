// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/postprocessing/group_thresholds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "equinoise/base/lists.h"
#include "equinoise/constraints/constraint_reader.h"
#include "tests/constraints/constraint_cases.h"

namespace equinoise::group_thresholds_test {

constexpr size_t kBins = ScoreHistogram::kBins;
constexpr double kWidth = 2 * ScoreHistogram::kReach / kBins;
constexpr double kSlack = 0.05;

using testing::compiled;

/// What is where in the middle of a bin.
double middle_of(size_t bin) {
  return -ScoreHistogram::kReach + kWidth * (static_cast<double>(bin) + 0.5);
}

/// Records of a group whose scores are about `center`; of each label as many as scores say.
std::vector<double> bell(double size, double center, size_t num_labels) {
  std::vector<double> shape;
  double sum = 0;
  for (size_t bin = 0; bin < kBins; ++bin) {
    shape.push_back(std::exp(-std::pow(middle_of(bin) - center, 2) / 2));
    sum += shape.back();
  }
  std::vector<double> counts;
  for (size_t label = 0; label < num_labels; ++label) {
    for (size_t bin = 0; bin < kBins; ++bin) {
      const double positive = 1 / (1 + std::exp(-middle_of(bin)));
      const double part = num_labels == 1 ? 1 : label == 1 ? positive : 1 - positive;
      counts.push_back(size * shape[bin] / sum * part);
    }
  }
  return counts;
}

ScoreHistogram histogram_of(const std::vector<std::vector<double>>& groups, size_t num_labels) {
  std::vector<double> counts;
  for (const std::vector<double>& group : groups) append(counts, group);
  return {groups.size(), num_labels, counts};
}

std::vector<double> aims_of(const RateProgram& program) {
  std::vector<double> aims;
  for (const RateProgram::Constraint& constraint : program.constraints)
    aims.push_back(constraint.slack);
  return aims;
}

double positive_rate(const ScoreHistogram& scores, size_t group, double threshold) {
  return scores.num_above(group, 0, threshold) / scores.size(group);
}

TEST(ChooseThresholds, LeavesAloneWhatKeepsTheConstraint) {
  const RateProgram program = compiled("demographic_parity:sex:0.05");
  ASSERT_FALSE(tells_labels(program));
  const ScoreHistogram scores = histogram_of({bell(500, -1, 1), bell(900, -1.1, 1)}, 1);
  const GroupThresholds found = choose_thresholds(program, scores, aims_of(program), 1);
  EXPECT_EQ(found.thresholds, (std::vector<double>{0, 0}));
  EXPECT_LT(found.excess, 0);
}

/// Of all pairs of thresholds on a fine grid that keep the constraint none has less expected error.
TEST(ChooseThresholds, HaveTheLeastExpectedErrorOfAllThatKeepParity) {
  const RateProgram program = compiled("demographic_parity:sex:0.05");
  const ScoreHistogram scores = histogram_of({bell(500, -1.5, 1), bell(900, 0.5, 1)}, 1);
  const GroupThresholds found = choose_thresholds(program, scores, aims_of(program), 1);
  const auto gap = [&](double first, double second) {
    return std::fabs(positive_rate(scores, 0, first) - positive_rate(scores, 1, second));
  };
  const auto error = [&](size_t group, double threshold) {
    double errors = 0;
    constexpr int kParts = 50;
    for (size_t bin = 0; bin < kBins; ++bin) {
      const double positive = 1 / (1 + std::exp(-middle_of(bin)));
      for (int i = 0; i < kParts; ++i) {
        const double low = middle_of(bin) - kWidth / 2 + kWidth * i / kParts;
        const double size =
            scores.num_above(group, 0, low) - scores.num_above(group, 0, low + kWidth / kParts);
        errors += size * (low >= threshold ? 1 - positive : positive);
      }
    }
    return errors;
  };
  EXPECT_LE(gap(found.thresholds[0], found.thresholds[1]), kSlack + 1e-3);
  EXPECT_GT(gap(0, 0), 0.5);
  EXPECT_LT(found.thresholds[0], 0);
  EXPECT_GT(found.thresholds[1], 0);
  double least = 1e9;
  for (double first = -4; first <= 4; first += 0.04)
    for (double second = -4; second <= 4; second += 0.04)
      if (gap(first, second) <= kSlack) least = std::min(least, error(0, first) + error(1, second));
  const double ours = error(0, found.thresholds[0]) + error(1, found.thresholds[1]);
  EXPECT_LE(ours, least * 1.01);
}

TEST(ChooseThresholds, BoundsRatesGivenALabel) {
  const RateProgram program = compiled("fnr:0.1");
  ASSERT_TRUE(tells_labels(program));
  const ScoreHistogram scores = histogram_of({bell(800, -0.5, 2)}, 2);
  const GroupThresholds found = choose_thresholds(program, scores, aims_of(program), 1);
  const double missed = 1 - scores.num_above(0, 1, found.thresholds[0]) / scores.size(0, 1);
  EXPECT_NEAR(missed, 0.1, 2e-3);
}

TEST(ChooseThresholds, KeepsEqualisedOddsOfGroupsThatDiffer) {
  const RateProgram program = compiled("equalized_odds:sex:0.05");
  const ScoreHistogram scores = histogram_of({bell(900, -1, 2), bell(900, 0.5, 2)}, 2);
  const GroupThresholds found = choose_thresholds(program, scores, aims_of(program), 1);
  EXPECT_LT(found.excess, 1e-3);
}

TEST(ChooseThresholds, MissesLeastWhatCannotBeKept) {
  const RateProgram program = compiled("group_error:sex:0.01");
  const ScoreHistogram scores = histogram_of({bell(900, 0, 2), bell(900, 0, 2)}, 2);
  const GroupThresholds found = choose_thresholds(program, scores, aims_of(program), 1);
  EXPECT_GT(found.excess, 0.2);
  for (const double threshold : found.thresholds) EXPECT_TRUE(std::isfinite(threshold));
}

/// A group of 60 with noise of 5 on each of 24 counts: its size is known to 24.
TEST(ChooseThresholds, GroupsThatNoiseHidesHaveTheThresholdOfAll) {
  const RateProgram program = compiled("demographic_parity:race:0.05");
  const ScoreHistogram scores =
      histogram_of({bell(5000, 0.5, 1), bell(2000, -1, 1), bell(60, 2, 1)}, 1);
  const GroupThresholds found = choose_thresholds(program, scores, aims_of(program), 5);
  EXPECT_EQ(found.is_common, (std::vector<bool>{false, false, true}));
  EXPECT_GT(found.thresholds[0], 0);
  EXPECT_LT(found.thresholds[1], 0);
  EXPECT_LT(std::fabs(found.thresholds[2]), found.thresholds[0]);
  EXPECT_LT(found.excess, 1e-3) << "of the constraints whose rates are known";
  const GroupThresholds without_noise = choose_thresholds(program, scores, aims_of(program), 0.1);
  EXPECT_FALSE(without_noise.is_common[2]);
  EXPECT_GT(without_noise.thresholds[2], 0.5);
}

TEST(ChooseThresholds, OfNobodyAreThoseOfTheModel) {
  const RateProgram program = compiled("demographic_parity:sex:0.05");
  const ScoreHistogram scores(2, 1, std::vector<double>(2 * kBins, 0.0));
  EXPECT_EQ(choose_thresholds(program, scores, aims_of(program), 1).thresholds,
            (std::vector<double>{0, 0}));
}

}  // namespace equinoise::group_thresholds_test
