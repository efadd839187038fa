// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/rate_clip.h"

#include <gtest/gtest.h>

#include <limits>

#include "equinoise/constraints/constraint_reader.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/test_support.h"

namespace equinoise::rate_clip_test {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RateLagrangian false_negatives(double widening = 1) {
  RateLagrangianConfig config;
  config.batch_size = 100;
  config.clip_widening = widening;
  config.row_norm = 2;
  return {testing::shared_program("fnr:0.1"), config};
}

TEST(RateClip, FollowsWhatTheConstraintsAsk) {
  RateClip clip(2, 0.75, false_negatives());
  EXPECT_EQ(clip.bound(), 2);
  // Before the first multiplier nothing is asked.
  clip.term()->take_sums(std::vector<double>{30, 10});
  EXPECT_EQ(clip.bound(), 2);
  clip.term()->take_sums(std::vector<double>{30, 10});
  // Multiplier 0.05 * (3/4 - 0.1) on 1 / 40 of 100 records, a quarter of it at a logit.
  EXPECT_NEAR(clip.bound(), 2 + 0.75 * 0.05 * 0.65 * 100 / 40 / 4, 1e-12);
}

void expect_norms_within_bound(const RateClip& clip) {
  const std::vector<double> squared = {0, 1, 9, 1e10, kInfinity, std::nan("")};
  std::vector<double> weights(squared.size());
  clip.weights({squared}, weights);
  for (size_t i = 0; i < 4; ++i)
    EXPECT_LE(weights[i] * std::sqrt(squared[i]), clip.bound() * (1 + 1e-15));
  EXPECT_EQ(weights[1], 1);
  EXPECT_NEAR(weights[3] * 1e5, clip.bound(), 1e-9);
  EXPECT_EQ(weights[4], 0);
  EXPECT_EQ(weights[5], 0);
}

/// A clip for demographic parity of 51 women, of whom 40 are predicted positive, and 461 men, of
/// whom 46 are, after steps at which nothing changes; gradients are twice as long as at their
/// scores.
RateClip parity_clip(double widening, int num_women = 51, double row_norm = 2) {
  RateLagrangianConfig config;
  config.batch_size = 512;
  config.clip_allowance = 0.75;
  config.push_limit = 100;
  config.clip_widening = widening;
  config.row_norm = row_norm;
  RateClip clip(1, config.clip_allowance,
                {testing::shared_program("demographic_parity:sex:0.05"), config});
  for (int step = 0; step < 50; ++step)
    clip.term()->take_sums(std::vector<double>{0.2 * num_women, 0.8 * num_women, 461 - 46, 46});
  return clip;
}

/// The clipped push on all women, over that on all men, at scores of 0.
double balance(RateClip clip, int num_women) {
  const RateProgram& program = clip.term()->program();
  std::vector<uint32_t> places;
  for (int i = 0; i < num_women + 461; ++i)
    places.push_back(static_cast<uint32_t>(program.place_of(i < num_women ? 0 : 1, 0)));
  std::vector<double> pushes;
  clip.term()->gradient(places, std::vector<double>(2 * places.size(), 0.5), pushes);
  std::vector<double> squared;
  for (const double push : pushes) squared.push_back(4 * push * push);
  std::vector<double> weights(pushes.size());
  clip.weights({squared}, weights);
  double of_women = 0;
  double of_men = 0;
  for (size_t i = 0; i < pushes.size(); ++i)
    (i < static_cast<size_t>(num_women) ? of_women : of_men) += weights[i] * pushes[i];
  return -of_women / of_men;
}

TEST(RateClip, AConstraintBetweenGroupsMovesNobodyElse) {
  EXPECT_NEAR(balance(parity_clip(10), 51), 1, 1e-9);
  EXPECT_LT(balance(parity_clip(1), 51), 0.5);
  const double usual = parity_clip(1).bound();
  EXPECT_NEAR(parity_clip(1.5).bound(), 1.5 * usual, 1e-12);
  const double enough = parity_clip(100).bound();
  EXPECT_GT(enough, 2 * usual);
  EXPECT_EQ(parity_clip(10).bound(), enough);
}

TEST(RateClip, IsNotWidenedForVeryFewNorWhereNobodyIsPushedTheOtherWay) {
  // A gradient of 19 of a batch has row_norm / (2 * 19 / 480), 25.3 times the mean push, of 20 24.
  EXPECT_EQ(parity_clip(10, 19).bound(), parity_clip(1, 19).bound());
  EXPECT_GT(parity_clip(10, 20).bound(), parity_clip(1, 20).bound());
  // Of a network it is not known how a push on scores changes gradients.
  EXPECT_EQ(parity_clip(10, 51, 0).bound(), parity_clip(1, 51, 0).bound());
  // A bound on one rate pushes nobody the other way.
  RateClip clip(1, 0.75, false_negatives(10));
  for (int step = 0; step < 50; ++step) clip.term()->take_sums(std::vector<double>{30, 10});
  EXPECT_NEAR(clip.bound(), 1 + 0.75 * clip.term()->typical_gradient(), 1e-12);
}

TEST(RateClip, WeightedNormsStayWithinTheBound) {
  RateClip clip(2, 0.75, false_negatives());
  for (int step = 0; step < 5; ++step) clip.term()->take_sums(std::vector<double>{30, 10});
  expect_norms_within_bound(clip);
  expect_norms_within_bound(parity_clip(3));
}

/// A resumed run clips as the other would have.
TEST(RateClip, GoesOnFromItsStateWidened) {
  RateClip clip = parity_clip(3);
  RateClip resumed(1, 0.75, *parity_clip(3, 30).term());
  resumed.restore(clip.state());
  const std::vector<double> next = {11, 42, 410, 48};
  clip.term()->take_sums(next);
  resumed.term()->take_sums(next);
  EXPECT_GT(clip.bound(), 1 + 0.75 * clip.term()->typical_gradient());
  EXPECT_EQ(resumed.bound(), clip.bound());
}

TEST(RateClip, WithoutABoundNothingIsClipped) {
  RateClip clip(kInfinity, 0, false_negatives());
  std::vector<double> weights(2);
  clip.weights({std::vector<double>{1e20, kInfinity}}, weights);
  EXPECT_EQ(weights, (std::vector<double>{1, 0}));
}

TEST(RateClip, RefusesWhatIsNoBound) {
  for (const double bound : {0.0, -1.0, std::nan("")}) {
    EXPECT_ERROR(kUsage, HasSubstr("max_grad_norm"), RateClip(bound, 0, false_negatives()));
  }
  for (const double allowance : {-1.0, std::nan(""), kInfinity}) {
    EXPECT_ERROR(kUsage, HasSubstr("clip_allowance"), RateClip(1, allowance, false_negatives()));
  }
}

}  // namespace equinoise::rate_clip_test
