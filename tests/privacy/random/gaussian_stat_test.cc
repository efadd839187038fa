// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <vector>

#include "equinoise/privacy/random/gaussian.h"

namespace equinoise::gaussian_stat_test {

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261121;

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

/// Kolmogorov-Smirnov. Critical value sqrt(ln(2 / significance) / 2 / n): the
/// Dvoretzky-Kiefer-Wolfowitz bound, valid for any n.
TEST(RoundedGaussianStatistics, FineGridFollowsTheNormalDistribution) {
  constexpr size_t kCount = 4'000'000;
  RecordProperty("seed", static_cast<int>(kSeed));
  const double stddev = 0x1p30 * 1.3;
  std::vector<int64_t> draws(kCount, 0);
  SeededSource source(kSeed);
  add_rounded_gaussian(stddev, draws, source);
  std::ranges::sort(draws);
  double distance = 0;
  for (size_t i = 0; i < kCount; ++i) {
    const double expected = normal_cdf(static_cast<double>(draws[i]) / stddev);
    distance = std::max({distance, std::fabs(expected - static_cast<double>(i) / kCount),
                         std::fabs(expected - static_cast<double>(i + 1) / kCount)});
  }
  const double critical = std::sqrt(std::log(2 / kSignificance) / 2 / kCount);
  std::printf("seed %llu, n %zu, KS distance %.3g, critical %.3g at %g\n",
              static_cast<unsigned long long>(kSeed), kCount, distance, critical, kSignificance);
  EXPECT_LT(distance, critical);
}

/// Chi-square over the values of a coarse grid and both tails; critical value from the chi-square
/// quantile.
TEST(RoundedGaussianStatistics, CoarseGridHasTheProbabilitiesOfTheRoundedNormal) {
  constexpr size_t kCount = 4'000'000;
  constexpr int kReach = 7;
  const double stddev = 1.6;
  std::vector<int64_t> draws(kCount, 0);
  SeededSource source(kSeed + 1);
  add_rounded_gaussian(stddev, draws, source);
  std::vector<double> observed(2 * kReach + 1, 0);
  for (int64_t draw : draws)
    observed[static_cast<size_t>(std::clamp<int64_t>(draw, -kReach, kReach) + kReach)] += 1;
  double statistic = 0;
  for (int value = -kReach; value <= kReach; ++value) {
    const double low = value == -kReach ? 0 : normal_cdf((value - 0.5) / stddev);
    const double high = value == kReach ? 1 : normal_cdf((value + 0.5) / stddev);
    const double expected = (high - low) * kCount;
    const double difference = observed[static_cast<size_t>(value + kReach)] - expected;
    statistic += difference * difference / expected;
  }
  const double critical = boost::math::quantile(
      boost::math::complement(boost::math::chi_squared(2 * kReach), kSignificance));
  std::printf("seed %llu, n %zu, chi-square %.3g, critical %.3g at %g\n",
              static_cast<unsigned long long>(kSeed + 1), kCount, statistic, critical,
              kSignificance);
  EXPECT_LT(statistic, critical);
}

/// The tail beyond the last box (about 3.66 standard deviations): its mass and, within it, its
/// shape.
TEST(RoundedGaussianStatistics, TailHasTheRightMassAndShape) {
  constexpr size_t kCount = 20'000'000;
  const double stddev = 0x1p20;
  const std::vector<double> cuts = {3.6, 3.8, 4.0, 4.2, 4.5};
  std::vector<double> observed(cuts.size(), 0);
  SeededSource source(kSeed + 2);
  std::vector<int64_t> draws(100'000);
  for (size_t done = 0; done < kCount; done += draws.size()) {
    std::ranges::fill(draws, 0);
    source.start_step(done);
    add_rounded_gaussian(stddev, draws, source);
    for (int64_t draw : draws) {
      for (size_t i = 0; i < cuts.size(); ++i) {
        if (std::fabs(static_cast<double>(draw)) > cuts[i] * stddev) observed[i] += 1;
      }
    }
  }
  for (size_t i = 0; i < cuts.size(); ++i) {
    const double probability = std::erfc(cuts[i] / std::sqrt(2.0));
    const double expected = probability * kCount;
    std::printf(
        "seed %llu, n %zu, beyond %g: %g draws, expected %.1f, critical difference %.1f at 1e-6 in "
        "all\n",
        static_cast<unsigned long long>(kSeed + 2), kCount, cuts[i], observed[i], expected,
        5.3 * std::sqrt(expected));
    // Two-sided normal critical value at 1e-6 / number of cuts is below 5.3; counts are at least
    // 135.
    EXPECT_NEAR(observed[i], expected, 5.3 * std::sqrt(expected)) << "beyond " << cuts[i];
  }
}

}  // namespace equinoise::gaussian_stat_test
