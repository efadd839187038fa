// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <vector>

#include "equinoise/privacy/random/poisson.h"

namespace equinoise::poisson_stat_test {

constexpr double kSignificance = 1e-6;
constexpr uint64_t kSeed = 20261122;

/// Each position is drawn with the rate, and neighbours independently: chi-square over the four
/// outcomes of pairs of positions.
TEST(PoissonSampleStatistics, PositionsAreDrawnIndependentlyAtTheRate) {
  constexpr int kBatches = 200'000;
  constexpr int64_t kRecords = 40;
  for (double rate : {0.03, 0.4}) {
    SeededSource source(kSeed);
    std::vector<std::vector<double>> outcomes(kRecords / 2, std::vector<double>(4, 0));
    std::vector<uint32_t> records;
    for (int batch = 0; batch < kBatches; ++batch) {
      poisson_sample(rate, kRecords, source, records);
      std::vector<int> drawn(kRecords, 0);
      for (uint32_t record : records) drawn[record] = 1;
      for (size_t pair = 0; pair < outcomes.size(); ++pair) {
        outcomes[pair][static_cast<size_t>(2 * drawn[2 * pair] + drawn[2 * pair + 1])] += 1;
      }
    }
    const std::vector<double> expected = {kBatches * (1 - rate) * (1 - rate),
                                          kBatches * (1 - rate) * rate,
                                          kBatches * rate * (1 - rate), kBatches * rate * rate};
    double statistic = 0;
    for (const auto& counts : outcomes) {
      for (size_t i = 0; i < 4; ++i)
        statistic += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
    }
    const auto freedom = static_cast<double>(3 * outcomes.size());
    const double critical = boost::math::quantile(
        boost::math::complement(boost::math::chi_squared(freedom), kSignificance));
    std::printf("seed %llu, %d batches, rate %g: chi-square %.4g, critical %.4g at %g\n",
                static_cast<unsigned long long>(kSeed), kBatches, rate, statistic, critical,
                kSignificance);
    EXPECT_LT(statistic, critical);
  }
}

}  // namespace equinoise::poisson_stat_test
