// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/winograd.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/models/network/correlation_reference.h"
#include "tests/models/network/every_width.h"

namespace equinoise::winograd_test {

/// Uniform within +-1.
std::vector<float> random_values(size_t size, uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<float> values(size);
  for (float& value : values)
    value = static_cast<float>(static_cast<int64_t>(generator())) * 0x1p-63F;
  return values;
}

/// What each of the three computes, records one after another.
struct Results {
  std::vector<float> outputs;
  std::vector<float> input_gradient;
  std::vector<float> weight_gradients;
};

/// NaN where nothing is written.
Results run(const Winograd& winograd, size_t num_records, const std::vector<float>& weights,
            const std::vector<float>& bias, const std::vector<float>& inputs,
            const std::vector<float>& slopes) {
  Results results{std::vector<float>(slopes.size(), NAN), std::vector<float>(inputs.size(), NAN),
                  std::vector<float>(num_records * weights.size(), NAN)};
  winograd.outputs(weights.data(), bias.data(), num_records, inputs.data(), results.outputs.data());
  winograd.input_gradient(weights.data(), num_records, slopes.data(),
                          results.input_gradient.data());
  winograd.weight_gradients(num_records, inputs.data(), slopes.data(), weights.size(),
                            results.weight_gradients.data());
  return results;
}

/// A sum and that of its terms' absolute values.
struct Sum {
  double value = 0;
  double size = 0;
  void add(double term) {
    value += term;
    size += std::abs(term);
  }
};

/// Errors are relative to the largest values of a tile. So they are small beside the largest sum of
/// absolute terms of all, and, where sums have many terms, beside each result's own.
void expect_near(const float* values, const std::vector<Sum>& expected, bool many_terms,
                 const std::string& what) {
  double largest = 0;
  for (const Sum& sum : expected) largest = std::max(largest, sum.size);
  for (size_t j = 0; j < expected.size(); ++j) {
    const double size = many_terms ? expected[j].size : largest;
    ASSERT_NEAR(values[j], expected[j].value, 2e-6 * size) << what << " " << j;
  }
}

void expect_agreement(const CorrelationReference& reference, uint64_t seed,
                      const Kernels& kernels) {
  constexpr size_t kRecords = 2;
  const size_t num_inputs = reference.input.num_values();
  const size_t num_outputs = reference.output().num_values();
  const size_t num_weights = 9 * reference.input.channels * reference.num_channels;
  const std::vector<float> weights = random_values(num_weights, seed);
  const std::vector<float> bias = random_values(reference.num_channels, seed + 50);
  const std::vector<float> inputs = random_values(kRecords * num_inputs, seed + 100);
  const std::vector<float> slopes = random_values(kRecords * num_outputs, seed + 200);
  const Winograd winograd(reference.input, reference.output(), kernels);
  const Results results = run(winograd, kRecords, weights, bias, inputs, slopes);
  const bool many_terms = std::min(reference.input.channels, reference.num_channels) >= 16;
  const std::string at =
      fmt::format("{} x {} x {} to {}: ", reference.input.channels, reference.input.height,
                  reference.input.width, reference.num_channels);
  for (size_t r = 0; r < kRecords; ++r) {
    std::vector<Sum> outputs(num_outputs);
    std::vector<Sum> input_gradient(num_inputs);
    std::vector<Sum> weight_gradients(num_weights);
    reference.for_each_product([&](size_t w, size_t i, size_t o) {
      const double weight = weights[w];
      const double input = inputs[r * num_inputs + i];
      const double slope = slopes[r * num_outputs + o];
      outputs[o].add(weight * input);
      input_gradient[i].add(weight * slope);
      weight_gradients[w].add(input * slope);
    });
    for (size_t o = 0; o < num_outputs; ++o)
      outputs[o].add(bias[o / (num_outputs / reference.num_channels)]);
    expect_near(results.outputs.data() + r * num_outputs, outputs, many_terms, at + "output");
    expect_near(results.input_gradient.data() + r * num_inputs, input_gradient, many_terms,
                at + "input gradient");
    expect_near(results.weight_gradients.data() + r * num_weights, weight_gradients, many_terms,
                at + "weight gradient");
  }
}

using WinogradTest = EveryWidth;

/// Maps that fill their last tiles or not, channels that fill registers and blocks or not.
TEST_P(WinogradTest, AgreesWithTheDefinition) {
  const std::vector<size_t> channels = {16, 40, 1, 17, 7, 32, 23, 31};
  size_t k = 0;
  for (size_t height = 6; height <= 13; ++height) {
    for (size_t width = 6; width <= 13; ++width, ++k) {
      const CorrelationReference reference{{channels[k / 8], height, width}, channels[k % 8], 3};
      expect_agreement(reference, k, *GetParam());
    }
  }
  // The layers of the networks of paper 001.
  expect_agreement({{32, 26, 26}, 32, 3}, 1, *GetParam());
  expect_agreement({{32, 26, 26}, 16, 3}, 2, *GetParam());
  expect_agreement({{32, 24, 24}, 16, 3}, 3, *GetParam());
  expect_agreement({{16, 22, 22}, 16, 3}, 4, *GetParam());
}

/// What a record gets is the same whatever stands beside it and was computed before it; buffers are
/// as long as they must be.
TEST_P(WinogradTest, ARecordDoesNotSeeItsNeighbour) {
  for (const CorrelationReference& reference : {CorrelationReference{{1, 6, 6}, 1, 3},
                                                {{3, 6, 13}, 5, 3},
                                                {{17, 9, 7}, 16, 3},
                                                {{16, 11, 12}, 33, 3},
                                                {{40, 13, 8}, 7, 3}}) {
    const size_t num_inputs = reference.input.num_values();
    const size_t num_outputs = reference.output().num_values();
    const std::vector<float> weights =
        random_values(9 * reference.input.channels * reference.num_channels, 1);
    const std::vector<float> bias = random_values(reference.num_channels, 4);
    const std::vector<float> own_inputs = random_values(num_inputs, 2);
    const std::vector<float> own_slopes = random_values(num_outputs, 3);
    const Winograd winograd(reference.input, reference.output(), *GetParam());
    /// Everything of record `which` of `count`; the others are `neighbour`.
    const auto results_of = [&](size_t which, size_t count, float neighbour) {
      std::vector<float> inputs(count * num_inputs, neighbour);
      std::vector<float> slopes(count * num_outputs, neighbour);
      std::ranges::copy(own_inputs, inputs.data() + which * num_inputs);
      std::ranges::copy(own_slopes, slopes.data() + which * num_outputs);
      const Results results = run(winograd, count, weights, bias, inputs, slopes);
      std::vector<float> own;
      for (const auto* values :
           {&results.outputs, &results.input_gradient, &results.weight_gradients}) {
        const size_t size = values->size() / count;
        own.insert(own.end(), values->data() + which * size, values->data() + (which + 1) * size);
      }
      return own;
    };
    const std::vector<float> alone = results_of(0, 1, 0);
    for (const float value : alone) ASSERT_TRUE(std::isfinite(value));
    for (const float neighbour : {0.0F, NAN, INFINITY, -3e38F}) {
      for (size_t which = 0; which < 3; ++which)
        EXPECT_EQ(results_of(which, 3, neighbour), alone) << num_inputs << " " << which;
    }
  }
}

/// Where there is a single channel or map that is small, transforms cost more than they save.
TEST_P(WinogradTest, PaysForManyChannels) {
  const auto pays = [&](const MapShape& input, size_t num_channels) {
    return Winograd::pays(input, CorrelationReference{input, num_channels, 3}.output(),
                          *GetParam());
  };
  EXPECT_FALSE(pays({1, 28, 28}, 32));
  EXPECT_FALSE(pays({6, 14, 14}, 16));
  EXPECT_FALSE(pays({32, 3, 3}, 32));
  EXPECT_TRUE(pays({16, 22, 22}, 16));
  EXPECT_TRUE(pays({32, 26, 26}, 32));
}

INSTANTIATE_TEST_SUITE_P(EveryWidth, WinogradTest,
                         ::testing::Values(&kKernelsV3, &kKernelsV4, &kKernelsV4Vnni), width_name);

}  // namespace equinoise::winograd_test
