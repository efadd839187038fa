// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <cstdio>
#include <map>

#include "equinoise/synth/graph/rounding.h"

namespace equinoise::rounding_stat_test {
namespace {

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20260101;

/// The one-sided normal quantile at kSignificance / num_tests, both sides.
double critical_z(int num_tests) {
  const boost::math::chi_squared one(1);
  return std::sqrt(boost::math::quantile(boost::math::complement(one, kSignificance / num_tests)));
}

TEST(RoundCountsStat, GivesOneMoreWithTheProbabilityOfTheFraction) {
  const std::vector<double> weights = {0.5, 2.25, 1.0, 0.05, 1.2};  // sum to 5 rows
  constexpr int kDraws = 200'000;
  SeededSource source(kSeed);
  std::vector<double> more(weights.size(), 0.0);
  std::vector<size_t> counts;
  for (int i = 0; i < kDraws; ++i) {
    round_counts(weights, 5, source, counts);
    for (size_t k = 0; k < weights.size(); ++k) {
      more[k] += static_cast<double>(counts[k]) - std::floor(weights[k]);
    }
  }
  const double critical = critical_z(static_cast<int>(weights.size()));
  fmt::print("seed {}, {} draws, critical value {:.3f} at {}\n", kSeed, kDraws, critical,
             kSignificance);
  for (size_t k = 0; k < weights.size(); ++k) {
    const double p = weights[k] - std::floor(weights[k]);
    if (p == 0) {
      EXPECT_EQ(more[k], 0);
      continue;
    }
    EXPECT_LE(std::abs(more[k] - kDraws * p) / std::sqrt(kDraws * p * (1 - p)), critical) << k;
  }
}

TEST(DrawCodesStat, FollowsTheWeights) {
  const std::vector<double> weights = {1, 0, 5, 0.25, 3.75};
  constexpr size_t kDraws = 500'000;
  SeededSource source(kSeed + 1);
  std::vector<uint16_t> codes;
  draw_codes(weights, kDraws, source, codes);
  std::vector<double> counts(weights.size(), 0.0);
  for (uint16_t code : codes) ++counts[code];
  double statistic = 0;
  for (size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] == 0) continue;
    const double expected = kDraws * weights[k] / 10;
    statistic += (counts[k] - expected) * (counts[k] - expected) / expected;
  }
  const boost::math::chi_squared distribution(3);
  const double critical =
      boost::math::quantile(boost::math::complement(distribution, kSignificance));
  fmt::print("seed {}, {} draws, chi-square {:.3f}, critical value {:.3f} at {}\n", kSeed + 1,
             kDraws, statistic, critical, kSignificance);
  EXPECT_LE(statistic, critical);
}

TEST(ShuffleStat, MakesAllOrdersEquallyLikely) {
  constexpr int kDraws = 240'000;
  SeededSource source(kSeed + 2);
  std::map<std::vector<uint16_t>, int> orders;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<uint16_t> codes = {0, 1, 2, 3};
    shuffle(codes, source);
    ++orders[codes];
  }
  ASSERT_EQ(orders.size(), 24U);
  double statistic = 0;
  for (const auto& [order, count] : orders) {
    statistic += (count - kDraws / 24.0) * (count - kDraws / 24.0) / (kDraws / 24.0);
  }
  const boost::math::chi_squared distribution(23);
  const double critical =
      boost::math::quantile(boost::math::complement(distribution, kSignificance));
  fmt::print("seed {}, {} draws, chi-square {:.3f}, critical value {:.3f} at {}\n", kSeed + 2,
             kDraws, statistic, critical, kSignificance);
  EXPECT_LE(statistic, critical);
}

}  // namespace
}  // namespace equinoise::rounding_stat_test
