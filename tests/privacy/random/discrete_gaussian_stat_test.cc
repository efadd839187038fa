// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "equinoise/privacy/random/discrete_gaussian.h"
#include "equinoise/privacy/random/discrete_gaussian_scan.h"
#include "equinoise/privacy/random/discrete_gaussian_table.h"

namespace equinoise::discrete_gaussian_stat_test {

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261122;

/// Chi-square over the values within 3 standard deviations and both tails; critical value from
/// the chi-square quantile. Every expected count is above 100.
void expect_discrete_gaussian(const char* name, double stddev, uint64_t seed,
                              const std::vector<int64_t>& draws) {
  const auto reach = static_cast<int64_t>(3 * stddev) + 1;
  std::vector<double> observed(static_cast<size_t>(2 * reach + 1), 0);
  for (int64_t draw : draws) {
    observed[static_cast<size_t>(std::clamp(draw, -reach, reach) + reach)] += 1;
  }
  std::vector<double> expected(observed.size(), 0);
  double total = 0;
  for (int64_t y = -5 * reach; y <= 5 * reach; ++y) {
    const double ratio = static_cast<double>(y) / stddev;
    const double weight = std::exp(-ratio * ratio / 2);
    expected[static_cast<size_t>(std::clamp(y, -reach, reach) + reach)] += weight;
    total += weight;
  }
  double statistic = 0;
  for (size_t i = 0; i < observed.size(); ++i) {
    const double count = expected[i] / total * static_cast<double>(draws.size());
    ASSERT_GT(count, 100) << name;
    statistic += (observed[i] - count) * (observed[i] - count) / count;
  }
  const double critical = boost::math::quantile(boost::math::complement(
      boost::math::chi_squared(static_cast<double>(observed.size() - 1)), kSignificance));
  std::printf("%s, stddev %g: seed %llu, n %zu, chi-square %.4g, critical %.4g at %g\n", name,
              stddev, static_cast<unsigned long long>(seed), draws.size(), statistic, critical,
              kSignificance);
  EXPECT_LT(statistic, critical) << name << " at stddev " << stddev;
}

TEST(DiscreteGaussianStatistics, ExactSamplerHasTheProbabilitiesOfTheDistribution) {
  uint64_t seed = kSeed;
  for (double stddev : {0.6, 1.0, 1.7, 11.3, 100.25}) {
    std::vector<int64_t> draws(4'000'000, 0);
    SeededSource source(++seed);
    add_discrete_gaussian(stddev, draws, source);
    expect_discrete_gaussian("exact", stddev, seed, draws);
  }
}

TEST(DiscreteGaussianStatistics, TableHasTheProbabilitiesOfTheDistribution) {
  uint64_t seed = kSeed + 100;
  for (double stddev : {0.6, 1.0, 1.7, 11.3, 100.25}) {
    std::vector<int64_t> draws(4'000'000, 0);
    SeededSource source(++seed);
    DiscreteGaussianTable(stddev).add_noise(draws, source);
    expect_discrete_gaussian("table", stddev, seed, draws);
  }
}

TEST(DiscreteGaussianStatistics, ScanHasTheProbabilitiesOfTheDistribution) {
  uint64_t seed = kSeed + 200;
  for (double stddev : {0.6, 1.7, 11.3}) {
    std::vector<int64_t> draws(1'000'000, 0);
    SeededSource source(++seed);
    DiscreteGaussianScan(stddev).add_noise(draws, source);
    expect_discrete_gaussian("scan", stddev, seed, draws);
  }
}

/// Kolmogorov-Smirnov at a width where the steps of the distribution (below 2^-29) vanish beside
/// the critical value, against the normal distribution. Critical value sqrt(ln(2 / significance) /
/// 2 / n): the Dvoretzky-Kiefer-Wolfowitz bound, valid for any n.
TEST(DiscreteGaussianStatistics, WideDistributionFollowsTheNormalDistribution) {
  constexpr size_t kCount = 4'000'000;
  const double stddev = 0x1p30 * 1.3;
  std::vector<int64_t> draws(kCount, 0);
  SeededSource source(kSeed + 300);
  add_discrete_gaussian(stddev, draws, source);
  std::ranges::sort(draws);
  double distance = 0;
  for (size_t i = 0; i < kCount; ++i) {
    const double expected = 0.5 * std::erfc(-static_cast<double>(draws[i]) / stddev / std::sqrt(2));
    distance = std::max({distance, std::fabs(expected - static_cast<double>(i) / kCount),
                         std::fabs(expected - static_cast<double>(i + 1) / kCount)});
  }
  const double critical = std::sqrt(std::log(2 / kSignificance) / 2 / kCount);
  std::printf("seed %llu, n %zu, KS distance %.3g, critical %.3g at %g\n",
              static_cast<unsigned long long>(kSeed + 300), kCount, distance, critical,
              kSignificance);
  EXPECT_LT(distance, critical);
}

/// Times of many draws of the smallest magnitude and of the largest, in turns. The least time of
/// each is compared: other work on the machine only ever adds, and where it takes about half of
/// the time medians fall on either side of it. A scan that stopped where it is decided would
/// differ a hundredfold.
TEST(DiscreteGaussianScanTiming, DoesNotDependOnWhatIsDrawn) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRounds = 1001;
  constexpr int kDraws = 100;
  const DiscreteGaussianScan scan(64);
  int64_t sum = 0;
  const auto time_of = [&](uint64_t high) {
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < kDraws; ++i) sum += scan.draw(high ^ static_cast<uint64_t>(i % 2), 0);
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  double small = std::numeric_limits<double>::infinity();
  double large = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRounds; ++i) {
    small = std::min(small, time_of(0));
    large = std::min(large, time_of(~uint64_t{1}));
  }
  EXPECT_EQ(scan.draw(0, 0), 0);
  EXPECT_GT(scan.draw(~uint64_t{1}, ~uint64_t{0}), 64 * 10);
  EXPECT_EQ(sum, 0);
  EXPECT_GT(large / small, 0.5);
  EXPECT_LT(large / small, 2);
}

}  // namespace equinoise::discrete_gaussian_stat_test
