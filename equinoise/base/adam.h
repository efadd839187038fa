// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace equinoise {

/// The decay rates of Adam, with torch's names.
struct AdamDecay {
  double beta1 = 0.9;  ///< of the first moment
  double beta2 = 0.999;
  double epsilon = 1e-8;  ///< added to the root of the second moment
};

/// Takes step `step` (0, 1, ...) of Adam for the gradient with the entries `gradient(j)`. `moments`
/// holds 2 * parameters.size() values, all 0 before the first step. Source: [KingmaBa2015, Alg. 1]
template <typename Value, typename Gradient>
void take_adam_step(const AdamDecay& decay, int64_t step, double learning_rate,
                    const Gradient& gradient, std::span<Value> parameters,
                    std::span<Value> moments) {
  const size_t size = parameters.size();
  const auto number = static_cast<double>(step + 1);
  const auto first_share = static_cast<Value>(1 - std::pow(decay.beta1, number));
  const auto second_share = static_cast<Value>(1 - std::pow(decay.beta2, number));
  const auto beta1 = static_cast<Value>(decay.beta1);
  const auto beta2 = static_cast<Value>(decay.beta2);
  const auto epsilon = static_cast<Value>(decay.epsilon);
  const auto rate = static_cast<Value>(learning_rate);
  Value* first = moments.data();
  Value* second = first + size;
  for (size_t j = 0; j < size; ++j) {
    const Value entry = gradient(j);
    first[j] = beta1 * first[j] + (1 - beta1) * entry;
    second[j] = beta2 * second[j] + (1 - beta2) * entry * entry;
    parameters[j] -=
        rate * (first[j] / first_share) / (std::sqrt(second[j] / second_share) + epsilon);
  }
}

}  // namespace equinoise
