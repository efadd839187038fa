// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/adam.h"

#include <gtest/gtest.h>

#include <vector>

namespace equinoise::adam_test {

TEST(Adam, FirstStepsAreThoseOfTheAlgorithm) {
  std::vector<double> parameters = {1, -2};
  std::vector<double> moments(4, 0);
  const std::vector<double> gradient = {0.5, -4};
  const auto entry = [&](size_t j) { return gradient[j]; };
  take_adam_step<double>({}, 0, 0.1, entry, parameters, moments);
  // At first the corrected moments are the gradient and its square.
  EXPECT_NEAR(parameters[0], 0.9, 1e-8);
  EXPECT_NEAR(parameters[1], -1.9, 1e-8);
  take_adam_step<double>({}, 1, 0.1, entry, parameters, moments);
  EXPECT_NEAR(parameters[0], 0.8, 1e-8);
  EXPECT_NEAR(moments[0], 0.1 * 0.5 * 1.9, 1e-12);
  EXPECT_NEAR(moments[2], 0.001 * 0.25 * 1.999, 1e-12);
}

TEST(Adam, SinglePrecisionGoesTheSameWay) {
  std::vector<double> parameters = {3};
  std::vector<double> moments(2, 0);
  std::vector<float> small_parameters = {3};
  std::vector<float> small_moments(2, 0);
  for (int step = 0; step < 200; ++step) {
    take_adam_step<double>(
        {}, step, 0.05, [&](size_t) { return 2 * (parameters[0] - 1); }, parameters, moments);
    take_adam_step<float>(
        {}, step, 0.05, [&](size_t) { return 2 * (small_parameters[0] - 1); }, small_parameters,
        small_moments);
  }
  EXPECT_NEAR(parameters[0], 1, 0.05);
  EXPECT_NEAR(small_parameters[0], parameters[0], 1e-3);
}

}  // namespace equinoise::adam_test
