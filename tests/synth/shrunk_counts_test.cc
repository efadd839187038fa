// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/shrunk_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace equinoise::shrunk_counts_test {

std::vector<double> shrunk(std::vector<double> noisy, const std::vector<double>& expected,
                           double stddev) {
  std::vector<NoisyCounts> released = {
      {std::move(noisy), std::vector<double>(expected.size(), stddev * stddev)}};
  const std::vector<std::vector<double>> all = {expected};
  shrink_counts(released, all, 0.1);
  return released[0].counts;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

/// Of fixed seed.
std::vector<double> with_noise(std::vector<double> counts, double stddev) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, stddev);
  for (double& count : counts) count += noise(random);
  return counts;
}

TEST(ShrunkCounts, WhatNoiseDoesNotReachStays) {
  const std::vector<double> noisy = {4000, 20, 900, 0};
  const std::vector<double> result = shrunk(noisy, {1230, 1230, 1230, 1230}, 0.1);
  for (size_t cell = 0; cell < 4; ++cell) EXPECT_NEAR(result[cell], noisy[cell], 0.5);
}

TEST(ShrunkCounts, WhatNoiseHidesIsAsExpected) {
  const std::vector<double> expected = {10, 20, 5, 40, 2, 8, 1, 30};
  const std::vector<double> noisy = with_noise(expected, 500);
  const std::vector<double> result = shrunk(noisy, expected, 500);
  EXPECT_LT(distance(result, expected), 0.05 * distance(noisy, expected));
  for (const double count : result) EXPECT_GE(count, 0);
}

/// A model that is right but for one cell: that one is taken from the counts, the noise of the
/// others is not.
TEST(ShrunkCounts, ACellThatStandsOutIsKept) {
  const std::vector<double> expected(50, 100);
  std::vector<double> truth = expected;
  truth[7] = 900;
  const std::vector<double> noisy = with_noise(truth, 30);
  const std::vector<double> result = shrunk(noisy, expected, 30);
  EXPECT_NEAR(result[7], noisy[7], 60);
  EXPECT_LT(distance(result, truth), 0.3 * distance(noisy, truth));
}

TEST(ShrunkCounts, EmptyCellsDoNotGainMass) {
  std::vector<double> truth(40, 0);
  truth[0] = 3000;
  const std::vector<double> noisy = with_noise(truth, 50);
  double clipped = 0;
  for (size_t cell = 1; cell < 40; ++cell) clipped += std::max(0.0, noisy[cell]);
  const std::vector<double> result = shrunk(noisy, std::vector<double>(40, 75), 50);
  double kept = 0;
  for (size_t cell = 1; cell < 40; ++cell) kept += result[cell];
  EXPECT_LT(kept, 0.8 * clipped);
}

TEST(ShrunkCounts, WhatTheModelHoldsImpossibleStaysSo) {
  EXPECT_EQ(shrunk({80, 20, 100}, {0, 50, 150}, 10)[0], 0);
}

}  // namespace equinoise::shrunk_counts_test
