// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/regression/expected_coefficients.h"

#include <gtest/gtest.h>

#include "tests/matchers.h"

namespace equinoise::expected_coefficients_test {

constexpr TypicalFeature kNumber{1, false};

/// Numbers, then a column whose second and third category are a half and a third of the first.
TrainingFacts facts_of(size_t num_numbers) {
  TrainingFacts facts{1000, num_numbers + 4};
  facts.typical_features.assign(num_numbers, kNumber);
  for (const double rest : {0.0, 0.18, 0.14}) facts.typical_features.push_back({rest, true});
  return facts;
}

TEST(ExpectedCoefficients, AreThoseThatNoiseDoesNotHide) {
  const TrainingFacts facts = facts_of(2);
  EXPECT_EQ(expected_coefficients(facts, 1, {0, 0, 4}), 4);
  // A count has less noise than a number's squares; 4 standard deviations are 140 records.
  EXPECT_EQ(expected_coefficients(facts, 1, {80, 35, 4}), 3);
  EXPECT_EQ(expected_coefficients(facts, 1, {80, 80, 4}), 2);
  EXPECT_EQ(expected_coefficients(facts, 1, {300, 300, 4}), 0);
  // Records that count less.
  EXPECT_EQ(expected_coefficients(facts, 0.3, {80, 80, 4}), 0);
}

/// The noise of many entries hides what would stand out among few.
TEST(ExpectedCoefficients, AreFewerAmongManyFeatures) {
  const NoiseOfMoments noise = {150, 150, 4};
  EXPECT_EQ(expected_coefficients(facts_of(2), 1, noise), 2);
  EXPECT_LT(expected_coefficients(facts_of(60), 1, noise), 30);
}

TEST(ExpectedCoefficients, StandInThePlan) {
  TrainingPlan plan{"sufficient_statistics", {}, facts_of(2)};
  note_expected_coefficients(4, plan);
  EXPECT_TRUE(plan.notes.empty());
  note_expected_coefficients({}, plan);
  EXPECT_TRUE(plan.notes.empty());
  EXPECT_EQ(plan.settings.back().second, 0);
  note_expected_coefficients(3, plan);
  EXPECT_EQ(plan.settings.back(), (std::pair<std::string, double>("expected_coefficients", 3)));
  ASSERT_EQ(plan.notes.size(), 1);
  EXPECT_THAT(plan.notes[0], HasSubstr("3 of 4 coefficients"));
}

}  // namespace equinoise::expected_coefficients_test
