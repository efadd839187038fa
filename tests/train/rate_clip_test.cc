// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/rate_clip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "equinoise/constraints/constraint_reader.h"
#include "tests/constraints/constraint_cases.h"
#include "tests/test_support.h"

namespace equinoise::rate_clip_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

RateLagrangian false_negatives() {
  const ConstraintDomain domain = testing::sex_and_race();
  std::vector<std::string> notes;
  RateLagrangianConfig config;
  config.batch_size = 100;
  return {std::make_shared<const RateProgram>(
              compile_constraints(domain, parse_constraint("fnr:0.1", domain), notes)),
          config};
}

TEST(RateClip, FollowsWhatTheConstraintsAsk) {
  RateClip clip(2, 0.75, false_negatives());
  EXPECT_EQ(clip.bound(), 2);
  // Before the first multiplier nothing is asked.
  clip.rates()->take_histogram(std::vector<double>{30, 10});
  EXPECT_EQ(clip.bound(), 2);
  clip.rates()->take_histogram(std::vector<double>{30, 10});
  // Multiplier 0.05 * (3/4 - 0.1) on 1 / 40 of 100 records, a quarter of it at a logit.
  EXPECT_NEAR(clip.bound(), 2 + 0.75 * 0.05 * 0.65 * 100 / 40 / 4, 1e-12);
}

TEST(RateClip, WeightedNormsStayWithinTheBound) {
  RateClip clip(2, 0.75, false_negatives());
  for (int step = 0; step < 5; ++step) clip.rates()->take_histogram(std::vector<double>{30, 10});
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

TEST(RateClip, WithoutABoundNothingIsClipped) {
  RateClip clip(kInfinity, 0, false_negatives());
  std::vector<double> weights(2);
  clip.weights({std::vector<double>{1e20, kInfinity}}, weights);
  EXPECT_EQ(weights, (std::vector<double>{1, 0}));
}

TEST(RateClip, RefusesWhatIsNoBound) {
  for (const double bound : {0.0, -1.0, std::nan("")}) {
    EXPECT_THAT(error_of(ErrorKind::kUsage, [&] { RateClip(bound, 0, false_negatives()); }),
                ::testing::HasSubstr("max_grad_norm"));
  }
  for (const double allowance : {-1.0, std::nan(""), kInfinity}) {
    EXPECT_THAT(error_of(ErrorKind::kUsage, [&] { RateClip(1, allowance, false_negatives()); }),
                ::testing::HasSubstr("clip_allowance"));
  }
}

}  // namespace
}  // namespace equinoise::rate_clip_test
