// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "equinoise/privacy/random/discrete_laplace.h"
#include "equinoise/privacy/random/rounded_laplace.h"

namespace equinoise::laplace_stat_test {

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261123;
constexpr size_t kCount = 4'000'000;

/// Chi-square over the values up to 7 scales and both tails (above 100 expected draws each);
/// critical value from the chi-square quantile. at_most(y) = Pr[draw <= y] for y < 0; the
/// distribution is symmetric.
void expect_distribution(const char* name, double scale, uint64_t seed,
                         const std::vector<int64_t>& draws,
                         const std::function<double(int64_t)>& at_most) {
  const auto reach = static_cast<int64_t>(std::ceil(7 * scale));
  std::vector<double> observed(static_cast<size_t>(2 * reach + 1), 0);
  for (int64_t draw : draws) {
    observed[static_cast<size_t>(std::clamp(draw, -reach, reach) + reach)] += 1;
  }
  double statistic = 0;
  for (int64_t y = -reach; y <= reach; ++y) {
    const int64_t side = -std::abs(y);
    const double probability = y == 0           ? 1 - 2 * at_most(-1)
                               : side == -reach ? at_most(side)
                                                : at_most(side) - at_most(side - 1);
    const double expected = probability * static_cast<double>(draws.size());
    ASSERT_GT(expected, 100);
    const double difference = observed[static_cast<size_t>(y + reach)] - expected;
    statistic += difference * difference / expected;
  }
  const double critical = boost::math::quantile(boost::math::complement(
      boost::math::chi_squared(static_cast<double>(observed.size() - 1)), kSignificance));
  std::printf("%s, scale %g: seed %llu, n %zu, chi-square %.4g, critical %.4g at %g\n", name, scale,
              static_cast<unsigned long long>(seed), draws.size(), statistic, critical,
              kSignificance);
  EXPECT_LT(statistic, critical) << name << " at scale " << scale;
}

TEST(LaplaceStatistics, DiscreteLaplaceHasTheProbabilitiesOfTheDistribution) {
  uint64_t seed = kSeed;
  for (double decay : {1.5, 1.0, 0.3, 0.0625}) {
    std::vector<int64_t> draws(kCount, 0);
    SeededSource source(++seed);
    add_discrete_laplace(decay, draws, source);
    expect_distribution("discrete Laplace", 1 / decay, seed, draws, [decay](int64_t y) {
      return std::exp(decay * static_cast<double>(y)) / (1 + std::exp(-decay));
    });
  }
}

TEST(LaplaceStatistics, RoundedLaplaceHasTheProbabilitiesOfTheDistribution) {
  uint64_t seed = kSeed + 100;
  for (double scale : {0.7, 1.0, 3.3, 16.0}) {
    std::vector<int64_t> draws(kCount, 0);
    SeededSource source(++seed);
    add_rounded_laplace(scale, draws, source);
    expect_distribution("rounded Laplace", scale, seed, draws, [scale](int64_t y) {
      return std::exp((static_cast<double>(y) + 0.5) / scale) / 2;
    });
  }
}

/// Kolmogorov-Smirnov at a width where the steps of the distributions (below 2^-30) vanish beside
/// the critical value. Critical value sqrt(ln(2 / significance) / 2 / n): the
/// Dvoretzky-Kiefer-Wolfowitz bound, valid for any n.
TEST(LaplaceStatistics, WideDistributionsFollowTheLaplaceDistribution) {
  const double scale = 0x1p30 * 1.3;
  for (bool rounded : {false, true}) {
    std::vector<int64_t> draws(kCount, 0);
    const uint64_t seed = kSeed + (rounded ? 201 : 200);
    SeededSource source(seed);
    if (rounded) {
      add_rounded_laplace(scale, draws, source);
    } else {
      add_discrete_laplace(1 / scale, draws, source);
    }
    std::ranges::sort(draws);
    double distance = 0;
    for (size_t i = 0; i < kCount; ++i) {
      const double x = static_cast<double>(draws[i]) / scale;
      const double expected = x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2;
      distance = std::max({distance, std::fabs(expected - static_cast<double>(i) / kCount),
                           std::fabs(expected - static_cast<double>(i + 1) / kCount)});
    }
    const double critical = std::sqrt(std::log(2 / kSignificance) / 2 / kCount);
    std::printf("%s: seed %llu, n %zu, KS distance %.3g, critical %.3g at %g\n",
                rounded ? "rounded Laplace" : "discrete Laplace",
                static_cast<unsigned long long>(seed), kCount, distance, critical, kSignificance);
    EXPECT_LT(distance, critical);
  }
}

}  // namespace equinoise::laplace_stat_test
