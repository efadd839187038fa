// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/correlation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/models/network/correlation_reference.h"
#include "tests/models/network/every_width.h"

namespace equinoise::correlation_test {

std::vector<float> wavy(size_t size, double step) {
  std::vector<float> values(size);
  for (size_t i = 0; i < size; ++i)
    values[i] = static_cast<float>(std::sin(step * static_cast<double>(i) + 1));
  return values;
}

using Reference = CorrelationReference;
using CorrelationTest = EveryWidth;

/// Maps, channels and kernels that fill no whole block, one block exactly, or several.
TEST_P(CorrelationTest, AgreesWithTheDefinition) {
  constexpr size_t kRecords = 2;
  for (const Reference& reference : {Reference{{1, 1, 1}, 1, 1},
                                     {{1, 5, 4}, 1, 2},
                                     {{3, 7, 5}, 5, 3},
                                     {{2, 9, 9}, 4, 9},
                                     {{5, 12, 30}, 9, 3},
                                     {{1, 28, 28}, 6, 5},
                                     {{4, 8, 26}, 32, 3},
                                     {{20, 13, 9}, 40, 3}}) {
    const Correlation correlation(reference.input, reference.num_channels, reference.kernel,
                                  *GetParam());
    const size_t num_inputs = reference.input.num_values();
    const size_t num_outputs = reference.output().num_values();
    const size_t num_weights = correlation.num_taps() * reference.num_channels;
    ASSERT_EQ(correlation.output().num_values(), num_outputs);
    const std::vector<float> weights = wavy(num_weights, 0.7);
    const std::vector<float> inputs = wavy(kRecords * num_inputs, 1.3);
    const std::vector<float> slopes = wavy(kRecords * num_outputs, 0.9);
    std::vector<float> outputs(kRecords * num_outputs, 0.5F);
    std::vector<float> input_gradient(kRecords * num_inputs, -0.25F);
    std::vector<float> weight_gradients(kRecords * (num_weights + 3), 7);
    correlation.add_outputs(weights.data(), kRecords, inputs.data(), outputs.data());
    correlation.input_gradient(weights.data(), kRecords, slopes.data(), Correlation::Write::kAdd,
                               input_gradient.data());
    // What is replaced does not matter, whatever it is.
    std::vector<float> fresh(kRecords * num_inputs, NAN);
    correlation.input_gradient(weights.data(), kRecords, slopes.data(),
                               Correlation::Write::kReplace, fresh.data());
    std::vector<float> with_bias(kRecords * num_outputs, NAN);
    const std::vector<float> bias(reference.num_channels, 0.5F);
    correlation.outputs(weights.data(), bias.data(), kRecords, inputs.data(), with_bias.data());
    correlation.weight_gradients(kRecords, inputs.data(), slopes.data(), num_weights + 3,
                                 weight_gradients.data());
    for (size_t r = 0; r < kRecords; ++r) {
      std::vector<double> expected_outputs(num_outputs, 0.5);
      std::vector<double> expected_gradient(num_inputs, -0.25);
      std::vector<double> expected_weights(num_weights, 0);
      reference.for_each_product([&](size_t w, size_t i, size_t o) {
        const double input = inputs[r * num_inputs + i];
        const double slope = slopes[r * num_outputs + o];
        expected_outputs[o] += weights[w] * input;
        expected_gradient[i] += weights[w] * slope;
        expected_weights[w] += input * slope;
      });
      for (size_t o = 0; o < num_outputs; ++o)
        ASSERT_NEAR(outputs[r * num_outputs + o], expected_outputs[o], 1e-4) << o;
      for (size_t o = 0; o < num_outputs; ++o)
        ASSERT_NEAR(with_bias[r * num_outputs + o], expected_outputs[o], 1e-4) << o;
      for (size_t i = 0; i < num_inputs; ++i)
        ASSERT_NEAR(fresh[r * num_inputs + i] - 0.25, expected_gradient[i], 1e-4) << i;
      for (size_t i = 0; i < num_inputs; ++i)
        ASSERT_NEAR(input_gradient[r * num_inputs + i], expected_gradient[i], 1e-4) << i;
      for (size_t w = 0; w < num_weights; ++w)
        ASSERT_NEAR(weight_gradients[r * (num_weights + 3) + w], expected_weights[w], 1e-3) << w;
      // What lies between the records' gradients is not touched.
      EXPECT_EQ(weight_gradients[r * (num_weights + 3) + num_weights], 7);
    }
  }
}

/// What a record gets is the same whatever stands beside it, and nothing is read behind the last
/// one: buffers are as long as they must be. Small maps are those whose vectors reach furthest.
TEST_P(CorrelationTest, ARecordDoesNotSeeItsNeighbour) {
  for (const Reference& reference : {Reference{{2, 5, 7}, 3, 3},
                                     {{2, 2, 2}, 1, 1},
                                     {{2, 2, 2}, 3, 2},
                                     {{2, 3, 3}, 3, 3},
                                     {{8, 3, 3}, 4, 2},
                                     {{3, 1, 1}, 2, 1},
                                     {{5, 1, 2}, 9, 1},
                                     {{1, 4, 4}, 2, 3},
                                     {{16, 7, 10}, 17, 3}}) {
    const Correlation correlation(reference.input, reference.num_channels, reference.kernel,
                                  *GetParam());
    const size_t num_inputs = correlation.input().num_values();
    const size_t num_outputs = correlation.output().num_values();
    const size_t num_weights = correlation.num_taps() * reference.num_channels;
    const std::vector<float> weights = wavy(num_weights, 0.7);
    const std::vector<float> bias = wavy(reference.num_channels, 0.4);
    /// Everything of record `which` of `count`; the others are `neighbour`.
    const auto run = [&](size_t which, size_t count, float neighbour) {
      std::vector<float> inputs(count * num_inputs, neighbour);
      std::vector<float> slopes(count * num_outputs, neighbour);
      const std::vector<float> own_inputs = wavy(num_inputs, 1.3);
      const std::vector<float> own_slopes = wavy(num_outputs, 0.9);
      std::ranges::copy(own_inputs, inputs.data() + which * num_inputs);
      std::ranges::copy(own_slopes, slopes.data() + which * num_outputs);
      std::vector<float> outputs(count * num_outputs);
      std::vector<float> input_gradient(count * num_inputs);
      std::vector<float> gradients(count * num_weights);
      correlation.outputs(weights.data(), bias.data(), count, inputs.data(), outputs.data());
      correlation.input_gradient(weights.data(), count, slopes.data(), Correlation::Write::kReplace,
                                 input_gradient.data());
      correlation.weight_gradients(count, inputs.data(), slopes.data(), num_weights,
                                   gradients.data());
      std::vector<float> all;
      const auto add = [&](const std::vector<float>& values, size_t size) {
        all.insert(all.end(), values.data() + which * size, values.data() + (which + 1) * size);
      };
      add(outputs, num_outputs);
      add(input_gradient, num_inputs);
      add(gradients, num_weights);
      return all;
    };
    const std::vector<float> alone = run(0, 1, 0);
    for (const float value : alone) EXPECT_TRUE(std::isfinite(value));
    for (const float neighbour : {0.0F, NAN, INFINITY, -3e38F}) {
      for (size_t which = 0; which < 3; ++which)
        EXPECT_EQ(run(which, 3, neighbour), alone) << num_inputs << " " << which;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, CorrelationTest,
                         ::testing::Values(&kKernelsV3, &kKernelsV4, &kKernelsV4Vnni), width_name);

}  // namespace equinoise::correlation_test
