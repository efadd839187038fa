// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/mixture/generator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "equinoise/base/lists.h"

namespace equinoise::generator_test {

const GeneratorShape kShape{150, 5, 7, {3, 1, 4}};

/// A loss that is linear in the probabilities.
std::vector<float> random_derivatives(size_t size) {
  std::mt19937 random(4);
  std::vector<float> derivatives(size);
  for (float& value : derivatives) value = static_cast<float>(random() % 2001) / 1000 - 1;
  return derivatives;
}

TEST(Generator, GivesDistributions) {
  SeededSource source(1);
  Generator generator(kShape, source);
  const float* row = generator.forward(1);
  for (size_t component = 0; component < kShape.num_components; ++component) {
    for (const size_t size : kShape.outputs) {
      float sum = 0;
      for (size_t j = 0; j < size; ++j) {
        EXPECT_GT(row[j], 0);
        sum += row[j];
      }
      EXPECT_NEAR(sum, 1, 1e-5);
      row += size;
    }
  }
}

TEST(Generator, GradientsAreThoseOfFiniteDifferences) {
  SeededSource source(2);
  Generator generator(kShape, source);
  const size_t size = kShape.num_components * generator.num_outputs();
  const std::vector<float> derivatives = random_derivatives(size);
  const auto loss = [&] {
    const float* probabilities = generator.forward(1);
    double sum = 0;
    for (size_t j = 0; j < size; ++j) sum += double{derivatives[j]} * probabilities[j];
    return sum;
  };
  loss();
  generator.backward(derivatives.data(), 1);
  const std::vector<float> gradients(generator.gradients().begin(), generator.gradients().end());
  // Along directions: single numbers are too small for single precision, and a rectifier that
  // changes sides makes few of them wrong.
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  const std::vector<float> start(generator.parameters().begin(), generator.parameters().end());
  for (int trial = 0; trial < 8; ++trial) {
    // Each trial moves one stretch of the parameters: all kinds of them have their turn.
    std::vector<float> direction(start.size(), 0);
    const size_t stretch = start.size() / 8 + 1;
    for (size_t j = stretch * trial; j < std::min(start.size(), stretch * (trial + 1)); ++j)
      direction[j] = normal(random);
    double slope = 0;
    for (size_t j = 0; j < start.size(); ++j) slope += double{gradients[j]} * direction[j];
    constexpr float kStep = 5e-5F;
    const auto loss_at = [&](float step) {
      for (size_t j = 0; j < start.size(); ++j)
        generator.parameters()[j] = start[j] + step * direction[j];
      return loss();
    };
    const double difference = (loss_at(kStep) - loss_at(-kStep)) / (2 * kStep);
    EXPECT_NEAR(slope, difference, 0.02 * std::abs(difference) + 0.05) << trial;
    EXPECT_GT(std::abs(slope), 0.1) << trial;
  }
}

TEST(Generator, ThreadsChangeNothing) {
  const auto run = [](int threads) {
    SeededSource source(3);
    Generator generator({300, 20, 140, {40, 30}}, source);
    const std::vector<float> derivatives = random_derivatives(300 * 70);
    const float* probabilities = generator.forward(threads);
    std::vector<float> result(probabilities, probabilities + 300 * 70);
    generator.backward(derivatives.data(), threads);
    append(result, generator.gradients());
    return result;
  };
  EXPECT_EQ(run(1), run(3));
}

}  // namespace equinoise::generator_test
