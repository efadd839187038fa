// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/number_of_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "equinoise/base/error.h"
#include "tests/test_support.h"

namespace equinoise::number_of_runs_test {

/// The probabilities of the distribution as [PapernotSteinke2022] writes them, with gamma from its
/// mean.
std::map<int64_t, double> distribution(double shape, double mean) {
  const auto mean_of = [&](double gamma) {
    return shape == 0 ? (1 / gamma - 1) / std::log(1 / gamma)
                      : shape * (1 - gamma) / (gamma * (1 - std::pow(gamma, shape)));
  };
  double low = 1e-9;
  double high = 1 - 1e-9;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (mean_of(middle) > mean ? low : high) = middle;
  }
  std::map<int64_t, double> probabilities;
  double product = 1;  // of (l + shape) / (l + 1), without its first factor where shape is 0
  for (int64_t k = 1; k <= 100'000; ++k) {
    if (shape == 0) {
      probabilities[k] =
          std::pow(1 - low, static_cast<double>(k)) / static_cast<double>(k) / std::log(1 / low);
    } else {
      product *= (static_cast<double>(k - 1) + shape) / static_cast<double>(k);
      probabilities[k] =
          std::pow(1 - low, static_cast<double>(k)) * product / (std::pow(low, -shape) - 1);
    }
  }
  return probabilities;
}

TEST(NumberOfRuns, HasItsDistribution) {
  for (const double shape : {0.0, 0.5, 1.0}) {
    for (const double mean : {1.01, 3.0, 12.0}) {
      const std::map<int64_t, double> probabilities = distribution(shape, mean);
      double total = 0;
      double expected_mean = 0;
      double none = 0;
      for (const auto& [k, probability] : probabilities) {
        total += probability;
        expected_mean += static_cast<double>(k) * probability;
        none += std::pow(0.75, static_cast<double>(k)) * probability;
      }
      ASSERT_NEAR(total, 1, 1e-6);
      ASSERT_NEAR(expected_mean, mean, 1e-4 * mean);
      const NumberOfRuns runs(shape, mean);
      EXPECT_NEAR(runs.probability_of_none(0.25), none, 1e-6);
      EXPECT_NEAR(runs.probability_of_none(1), 0, 1e-12);

      // Seed 7, 40000 draws of each distribution: at significance 1e-6 over 9 distributions of 6
      // counts each, 5.6 standard errors.
      constexpr int kDraws = 40'000;
      SeededSource source(7);
      std::map<int64_t, int> counts;
      for (int i = 0; i < kDraws; ++i) ++counts[std::min<int64_t>(runs.draw(source), 6)];
      double rest = 1;
      for (int64_t k = 1; k <= 6; ++k) {
        const double probability = k < 6 ? probabilities.at(k) : rest;
        rest -= probability;
        EXPECT_NEAR(counts[k], kDraws * probability,
                    5.6 * std::sqrt(kDraws * probability * (1 - probability)) + 1)
            << "shape " << shape << " mean " << mean << " runs " << k;
      }
    }
  }
}

TEST(NumberOfRuns, RefusesDistributionsThatItDoesNotDraw) {
  error_of(ErrorKind::kUsage, [] { NumberOfRuns(-0.5, 5); });
  error_of(ErrorKind::kUsage, [] { NumberOfRuns(HUGE_VAL, 5); });
  for (const double mean : {0.5, 1.0, 1e4, HUGE_VAL, std::nan("")})
    error_of(ErrorKind::kUsage, [&] { NumberOfRuns(0, mean); });
}

}  // namespace equinoise::number_of_runs_test
