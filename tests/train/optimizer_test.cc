// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/optimizer.h"

#include <gtest/gtest.h>

#include "tests/shared_vectors.h"

namespace equinoise::optimizer_test {

using nlohmann::json;

OptimizerConfig config_of(const json& optimizer) {
  OptimizerConfig config;
  config.name = optimizer["name"];
  config.momentum = optimizer.value("momentum", config.momentum);
  config.beta1 = optimizer.value("beta1", config.beta1);
  config.beta2 = optimizer.value("beta2", config.beta2);
  config.adam_epsilon = optimizer.value("epsilon", config.adam_epsilon);
  return config;
}

TEST(Optimizer, AgreesWithTheVectors) {
  EQUINOISE_VECTORS(cases, "steps/optimizers.json");
  for (const json& c : cases) {
    const OptimizerConfig config = config_of(c["optimizer"]);
    std::vector<double> theta = c["theta"];
    std::vector<double> state(optimizer_state_size(config, theta.size()), 0);
    const std::vector<double> rates = c["optimizer"]["learning_rates"];
    for (size_t t = 0; t < rates.size(); ++t) {
      std::vector<double> gradient = c["gradients"][t];
      for (double& entry : gradient) entry *= 4;
      take_step<double>(config, static_cast<int64_t>(t), rates[t], 0.25, gradient, theta, state);
      for (size_t j = 0; j < theta.size(); ++j) {
        testing::expect_close(theta[j], c["expected"]["theta"][t][j], c["tolerance"],
                              c["id"].get<std::string>() + " step " + std::to_string(t));
      }
    }
  }
  EXPECT_FALSE(cases.empty());
}

TEST(Optimizer, IntegersAreTakenAtTheirScale) {
  for (const char* name : {"sgd", "momentum", "adam"}) {
    OptimizerConfig config;
    config.name = name;
    std::vector<double> by_units = {1, 2};
    std::vector<double> by_numbers = by_units;
    std::vector<double> units_state(optimizer_state_size(config, 2), 0);
    std::vector<double> numbers_state = units_state;
    const std::vector<int64_t> units = {3, -5};
    const std::vector<double> numbers = {0.75, -1.25};
    for (int64_t step = 0; step < 3; ++step) {
      take_step<int64_t>(config, step, 0.1, 0.25, units, by_units, units_state);
      take_step<double>(config, step, 0.1, 1, numbers, by_numbers, numbers_state);
    }
    EXPECT_EQ(by_units, by_numbers) << name;
    EXPECT_LT(by_units[0], 1) << name;
    EXPECT_GT(by_units[1], 2) << name;
  }
}

}  // namespace equinoise::optimizer_test
