// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/goodness_of_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/kolmogorov_smirnov.h"
#include "tests/test_support.h"

namespace equinoise::goodness_of_fit_test {

TEST(ChiSquareFit, KnownStatisticAndCriticalValue) {
  const std::vector<double> observed = {44, 56};
  const std::vector<double> probabilities = {3, 3};
  const GoodnessOfFit fit = chi_square_fit(observed, probabilities, 1e-6);
  EXPECT_NEAR(fit.statistic, 1.44, 1e-12);
  // The square of the two-sided normal quantile, 4.8916.
  EXPECT_NEAR(fit.critical, 23.928, 0.001);
  EXPECT_TRUE(fit.fits());
}

TEST(ChiSquareFit, AnotherDistributionDoesNotFit) {
  const std::vector<double> observed = {300, 100};
  EXPECT_FALSE(chi_square_fit(observed, std::vector<double>{1, 1}, 1e-6).fits());
  EXPECT_TRUE(chi_square_fit(observed, std::vector<double>{3, 1}, 1e-6).fits());
}

TEST(ChiSquareFit, RefusesWhatItCannotJudge) {
  const std::vector<double> observed = {30, 30};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& probabilities :
       {std::vector<double>{1}, std::vector<double>{1, 1, 1}, std::vector<double>{1, 1e-3},
        std::vector<double>{1, nan}, std::vector<double>{0, 0}}) {
    error_of(ErrorKind::kUsage, [&] { chi_square_fit(observed, probabilities, 1e-6); });
  }
  error_of(ErrorKind::kUsage, [&] { chi_square_fit(observed, observed, 0); });
}

TEST(KolmogorovSmirnovFit, KnownStatisticAndCriticalValue) {
  const auto uniform = [](double x) { return x; };
  const std::vector<double> sorted = {0.1, 0.3, 0.9};
  const GoodnessOfFit fit = testing::kolmogorov_smirnov_fit(sorted, uniform, 0.05);
  EXPECT_NEAR(fit.statistic, 2.0 / 3 - 0.3, 1e-12);
  EXPECT_NEAR(fit.critical, 1.3581 / std::sqrt(3), 1e-4);
  EXPECT_TRUE(fit.fits());
}

TEST(KolmogorovSmirnovFit, AnotherDistributionDoesNotFit) {
  std::vector<double> sorted;
  for (int i = 0; i < 1000; ++i) sorted.push_back((i + 0.5) / 1000);
  EXPECT_TRUE(testing::kolmogorov_smirnov_fit(
                  sorted, [](double x) { return x; }, 1e-6)
                  .fits());
  EXPECT_FALSE(testing::kolmogorov_smirnov_fit(
                   sorted, [](double x) { return x * x; }, 1e-6)
                   .fits());
  EXPECT_FALSE((GoodnessOfFit{std::numeric_limits<double>::quiet_NaN(), 1}).fits());
}

}  // namespace equinoise::goodness_of_fit_test
