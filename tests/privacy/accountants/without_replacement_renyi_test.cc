// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/accountants/without_replacement_renyi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "equinoise/base/error.h"

namespace equinoise::without_replacement_renyi_test {

/// The divergence of ((1 - q) R + q P || (1 - q) R + q Q) for three Gaussians in a row: the batch
/// holds a record at `p`, its replacement at `q`, or another one at 0, in units of the sensitivity.
double three_gaussians(double rate, double noise, double p, double q, double order) {
  double moment = 0;
  const double low = -14 * noise - 2;
  const int count = 4000;
  const double step = (order + 4 + 28 * noise) / count;
  for (int i = 0; i < count; ++i) {
    const double x = low + step * (i + 0.5);
    const auto density = [&](double mean) {
      return std::exp(-(x - mean) * (x - mean) / (2 * noise * noise));
    };
    const double one = (1 - rate) * density(0) + rate * density(p);
    const double other = (1 - rate) * density(0) + rate * density(q);
    if (other > 0) moment += one * std::pow(one / other, order - 1);
  }
  return std::log(moment * step / (noise * std::sqrt(2 * M_PI))) / (order - 1);
}

TEST(WithoutReplacementRenyi, BoundsTripletsOfGaussians) {
  for (double rate : {0.01, 0.2, 0.7}) {
    for (double noise : {0.6, 1.0, 4.0}) {
      for (double order : {1.5, 2.0, 3.0, 4.6, 9.0}) {
        const double bound = without_replacement_gaussian_renyi(rate, noise, {order})[0];
        for (const auto& [p, q] : {std::pair{1.0, 0.0}, {0.0, 1.0}, {0.5, -0.5}, {1.0, 0.5}}) {
          EXPECT_GE(bound * (1 + 1e-9), three_gaussians(rate, noise, p, q, order))
              << rate << " " << noise << " " << order;
        }
        EXPECT_LE(bound, order / (2 * noise * noise) * (1 + 1e-10));
      }
    }
  }
}

/// Differences of moments against their alternating sum, where that keeps its digits: with order 4
/// and a little rate the terms j = 2, 3, 4 are all there is.
TEST(WithoutReplacementRenyi, AgreesWithThePublishedSumAtOrderFour) {
  const double rate = 0.01;
  const double noise = 2;
  const auto moment = [&](int k) { return std::exp(k * (k - 1) / (2 * noise * noise)); };
  const double second = moment(2) - 1;
  const double fourth = moment(4) - 4 * moment(3) + 6 * moment(2) - 3;
  const double third = std::fmin(2 * moment(3), 4 * std::sqrt(second * fourth));
  const double want = std::log1p(6 * rate * rate * std::fmin(4 * second, 2 * moment(2)) +
                                 4 * std::pow(rate, 3) * third +
                                 std::pow(rate, 4) * std::fmin(4 * fourth, 2 * moment(4))) /
                      3;
  EXPECT_NEAR(without_replacement_gaussian_renyi(rate, noise, {4})[0], want, want * 1e-9);
}

TEST(WithoutReplacementRenyi, RisesWithTheRateTheOrderAndLessNoise) {
  const std::vector<double> orders = {1.1, 2, 2.5, 3, 7.3, 30, 100, 256, 257, 300.5, 1024};
  const std::vector<double> base = without_replacement_gaussian_renyi(0.01, 3, orders);
  const std::vector<double> rate = without_replacement_gaussian_renyi(0.02, 3, orders);
  const std::vector<double> noise = without_replacement_gaussian_renyi(0.01, 2.9, orders);
  for (size_t i = 0; i < orders.size(); ++i) {
    EXPECT_GT(base[i], 0);
    EXPECT_GT(rate[i], base[i]);
    EXPECT_GT(noise[i], base[i]);
    if (i > 0) {
      EXPECT_GE(base[i], base[i - 1]);
    }
  }
}

TEST(WithoutReplacementRenyi, ExtremeNoiseIsBoundedByNoSampling) {
  EXPECT_NEAR(without_replacement_gaussian_renyi(1, 1e-3, {2})[0], 1e6, 1);
  EXPECT_GT(without_replacement_gaussian_renyi(1e-3, 1e6, {2})[0], 0);
  EXPECT_THROW(without_replacement_gaussian_renyi(std::nan(""), 1, {2}), Error);
  EXPECT_THROW(without_replacement_gaussian_renyi(0.1, std::nan(""), {2}), Error);
}

}  // namespace equinoise::without_replacement_renyi_test
