// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <map>
#include <vector>

#include "equinoise/synth/graph/code_urns.h"

namespace equinoise::code_urns_stat_test {

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20260101;

TEST(CodeUrnsStat, IndependentDrawsFollowTheWeights) {
  const std::vector<double> weights = {1, 0, 5, 0.25, 3.75};
  constexpr size_t kDraws = 500'000;
  SeededSource source(kSeed + 1);
  CodeUrns urn(1, weights.size(), RowDraw::kSample);
  urn.fill(0, weights, 0, source);
  std::vector<double> counts(weights.size(), 0.0);
  for (size_t i = 0; i < kDraws; ++i) ++counts[urn.draw(0, source)];
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

TEST(CodeUrnsStat, AllOrdersOfRoundedOnesAreEquallyLikely) {
  constexpr int kDraws = 240'000;
  SeededSource source(kSeed + 2);
  CodeUrns urn(1, 4, RowDraw::kRound);
  std::map<std::vector<uint32_t>, int> orders;
  for (int i = 0; i < kDraws; ++i) {
    urn.put(0, std::vector<size_t>(4, 1));
    std::vector<uint32_t> codes(4);
    for (uint32_t& code : codes) code = urn.draw(0, source);
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

}  // namespace equinoise::code_urns_stat_test
