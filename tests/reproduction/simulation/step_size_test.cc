// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "equinoise/reproduction/simulation/weighted_descent.h"
#include "tests/test_support.h"

namespace equinoise::step_size_test {

TEST(Descent, StepsFollowTheirRule) {
  DescentConfig config;
  const DirectionFacts facts = {30, 10, 4};
  // Diameter 10 sqrt(4), L^2 + 4 * 100 = 1300.
  EXPECT_NEAR(step_size_at(config, facts, 9), 20 / (3 * std::sqrt(1300.0)), 1e-15);
  config.step_size = {StepSize::Rule::kInverseRoot, 0.5};
  EXPECT_DOUBLE_EQ(step_size_at(config, facts, 25), 0.1);
  config.step_size = {StepSize::Rule::kConstant, 0.5};
  EXPECT_DOUBLE_EQ(step_size_at(config, facts, 25), 0.5);
}

TEST(Descent, StaysInTheBox) {
  std::vector<double> parameters = {4, -4, 0};
  take_step(5, 2, std::vector<double>{-1, 1, 0.25}, parameters);
  EXPECT_EQ(parameters, (std::vector<double>{5, -5, -0.5}));
}

TEST(Descent, RefusesWhatIsNoStep) {
  DescentConfig config;
  config.box = 0;
  EXPECT_ERROR(kUsage, HasSubstr("box"), step_size_at(config, {1, 1, 1}, 1));
  config.box = 1;
  config.step_size.scale = std::nan("");
  EXPECT_ERROR(kUsage, HasSubstr("scale"), step_size_at(config, {1, 1, 1}, 1));
}

}  // namespace equinoise::step_size_test
