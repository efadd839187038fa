// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "equinoise/synth/graph/rounding.h"

namespace equinoise::rounding_stat_test {

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

}  // namespace equinoise::rounding_stat_test
