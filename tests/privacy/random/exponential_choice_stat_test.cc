// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <vector>

#include "equinoise/privacy/random/exponential_choice.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise::exponential_choice_stat_test {

/// Chi-square over the candidates; critical value from the chi-square quantile. The least expected
/// count is above 100.
TEST(ExponentialChoiceStatistics, FrequenciesAreThoseOfTheWeights) {
  constexpr double kSignificance = 1e-6;
  constexpr uint64_t kSeed = 20261124;
  constexpr size_t kCount = 2'000'000;
  std::vector<int64_t> scores;
  for (int64_t i = 0; i < 101; ++i) scores.push_back((i * 37) % 101 / 2 - 20);
  const double epsilon = 1;
  const double sensitivity = 4;
  const ExponentialChoice choice(scores, epsilon, sensitivity);
  SeededSource source(kSeed);
  const auto next_word = [&source] { return source.next(); };
  ExactTrials<decltype(next_word)> trials(next_word);
  std::vector<double> observed(scores.size(), 0);
  for (size_t i = 0; i < kCount; ++i) observed[choice.draw(trials)] += 1;

  double total = 0;
  for (int64_t score : scores) {
    total += std::exp(epsilon * static_cast<double>(score) / (2 * sensitivity));
  }
  double statistic = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    const double weight = std::exp(epsilon * static_cast<double>(scores[i]) / (2 * sensitivity));
    const double expected = weight / total * kCount;
    ASSERT_GT(expected, 100);
    statistic += (observed[i] - expected) * (observed[i] - expected) / expected;
  }
  const double critical = boost::math::quantile(boost::math::complement(
      boost::math::chi_squared(static_cast<double>(scores.size() - 1)), kSignificance));
  std::printf("seed %llu, n %zu, chi-square %.4g, critical %.4g at %g\n",
              static_cast<unsigned long long>(kSeed), kCount, statistic, critical, kSignificance);
  EXPECT_LT(statistic, critical);
}

}  // namespace equinoise::exponential_choice_stat_test
