// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace equinoise::activation_test {

TEST(Activation, SigmoidHasItsKnownValuesAndStaysFinite) {
  const Sigmoid sigmoid(5);
  const std::vector<float> inputs = {0, 2, -2, 1000, -1000};
  std::vector<float> outputs(5);
  sigmoid.forward(nullptr, 1, inputs.data(), outputs.data());
  EXPECT_EQ(outputs[0], 0.5F);
  EXPECT_NEAR(outputs[1], 1 / (1 + std::exp(-2.0)), 1e-7);
  EXPECT_NEAR(outputs[1] + outputs[2], 1, 1e-7);
  EXPECT_EQ(outputs[3], 1);
  EXPECT_EQ(outputs[4], 0);
  std::vector<float> gradient(5);
  const std::vector<float> ones(5, 1);
  sigmoid.backward({nullptr, 1, inputs.data(), outputs.data()}, ones.data(), gradient.data());
  EXPECT_EQ(gradient[3], 0);
  EXPECT_EQ(gradient[4], 0);
}

TEST(Activation, DerivativesAgreeWithFiniteDifferences) {
  const size_t size = 6;
  std::vector<std::unique_ptr<Layer>> layers;
  layers.push_back(std::make_unique<Tanh>(size));
  layers.push_back(std::make_unique<Relu>(size));
  layers.push_back(std::make_unique<Sigmoid>(size));
  const std::vector<float> inputs = {-3, -1, -0.25F, 0.25F, 1, 3};
  for (const auto& layer : layers) {
    const auto outputs_at = [&](float shift) {
      std::vector<float> shifted = inputs;
      for (float& value : shifted) value += shift;
      std::vector<float> outputs(size);
      layer->forward(nullptr, 1, shifted.data(), outputs.data());
      return outputs;
    };
    const std::vector<float> outputs = outputs_at(0);
    const std::vector<float> up = outputs_at(0.0078125F);
    const std::vector<float> down = outputs_at(-0.0078125F);
    const std::vector<float> twos(size, 2);
    std::vector<float> gradient(size);
    layer->backward({nullptr, 1, inputs.data(), outputs.data()}, twos.data(), gradient.data());
    for (size_t i = 0; i < size; ++i)
      EXPECT_NEAR(gradient[i], 2 * (up[i] - down[i]) / 0.015625F, 1e-3) << inputs[i];
  }
}

TEST(Activation, ANanStaysOne) {
  const Sigmoid sigmoid(1);
  const float nan = NAN;
  float output = 0;
  sigmoid.forward(nullptr, 1, &nan, &output);
  EXPECT_TRUE(std::isnan(output));
}

}  // namespace equinoise::activation_test
