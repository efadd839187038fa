// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/log_moments.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <functional>
#include <vector>

namespace equinoise::log_moments_test {

TEST(LogMoments, LogFactorialsKeepTheirDigits) {
  using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<40>>;
  const Eigen::ArrayXd& logs = log_factorials();
  Real exact = 0;
  for (Eigen::Index k = 1; k <= 10'000; ++k) {
    exact += log(Real(k));
    EXPECT_LE(std::fabs(static_cast<double>(exact - logs[k])), 4.5e-16 * logs[k]) << k;
  }
}

/// log_sum, term by term in 50 digits.
double exact_log_sum(double log_rate, double log_rest, const std::vector<double>& values, int n) {
  using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>>;
  Real total = 0;
  Real log_binomial = log(Real(n));  // of k = 1
  for (int k = 2; k <= n; ++k) {
    log_binomial += log(Real(n - k + 1)) - log(Real(k));
    total += exp(log_binomial + k * Real(log_rate) + (n - k) * Real(log_rest) +
                 Real(values[static_cast<size_t>(k)]));
  }
  return static_cast<double>(log(total));
}

/// Whatever the values are: growing slowly and steeply, falling, jumping within a block, so that
/// the largest term is at either end, at the binomial's peak or where the values say.
TEST(LogMoments, SumsThatSkipBlocksAgreeWithAllTerms) {
  const std::vector<std::function<double(double)>> shapes = {
      [](double) { return 0.0; },
      [](double k) { return k * (k - 1) / 2 * 1e-4; },
      [](double k) { return k * (k - 1) / 2 * 4; },
      [](double k) { return -0.5 * k; },
      [](double k) { return std::fmod(k, 97) == 5 ? 300.0 : -k / 7; },
  };
  for (const auto& shape : shapes) {
    std::vector<double> values;
    for (int k = 0; k <= 3000; ++k) values.push_back(shape(k));
    for (const double rate : {1e-9, 0.003, 0.4, 0.999}) {
      for (const double rest : {1 - rate, 1.0}) {
        const BinomialSums sums(std::log(rate), std::log(rest), values);
        for (const int n : {2, 3, 63, 64, 65, 127, 128, 700, 2999, 3000}) {
          const double want = exact_log_sum(std::log(rate), std::log(rest), values, n);
          const double got = sums.log_sum(n);
          // The room for rounding is of the size of the terms' parts.
          const double room = 1e-12 + 1e-14 * (1e5 + std::fabs(want));
          EXPECT_GE(got, want - 1e-13 - 1e-15 * std::fabs(want)) << rate << " " << rest << " " << n;
          EXPECT_LE(got, want + room) << rate << " " << rest << " " << n;
        }
      }
    }
  }
}

TEST(LogMoments, InterpolatesAConvexFunctionFromAbove) {
  const auto log_moment = [](int64_t k) { return static_cast<double>(k * (k - 1)); };
  EXPECT_NEAR(interpolated_divergence(log_moment, 3), 3, 1e-15);
  EXPECT_NEAR(interpolated_divergence(log_moment, 1.5), 2, 1e-15);
  EXPECT_NEAR(interpolated_divergence(log_moment, 2.5), 4 / 1.5, 1e-15);
}

}  // namespace equinoise::log_moments_test
