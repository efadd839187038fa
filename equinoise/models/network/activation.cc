#include "equinoise/models/network/activation.h"

#include <algorithm>

#include "equinoise/models/fixed_blocks.h"

namespace equinoise {

void Tanh::forward(const float* parameters, size_t num_records, const float* inputs,
                   float* outputs) const {
  static_cast<void>(parameters);
  const size_t size = num_records * num_outputs();
  std::copy_n(inputs, size, outputs);
  transform_in_blocks(std::span(outputs, size), [](const auto& block) { return block.tanh(); });
}

void Tanh::backward(const float* parameters, size_t num_records, const float* inputs,
                    const float* outputs, const float* output_gradient,
                    float* input_gradient) const {
  static_cast<void>(parameters);
  static_cast<void>(inputs);
  const size_t size = num_records * num_outputs();
  for (size_t i = 0; i < size; ++i) {
    input_gradient[i] = output_gradient[i] * (1 - outputs[i] * outputs[i]);
  }
}

void Relu::forward(const float* parameters, size_t num_records, const float* inputs,
                   float* outputs) const {
  static_cast<void>(parameters);
  const size_t size = num_records * num_outputs();
  // A NaN stays one.
  for (size_t i = 0; i < size; ++i) outputs[i] = inputs[i] < 0 ? 0 : inputs[i];
}

void Relu::backward(const float* parameters, size_t num_records, const float* inputs,
                    const float* outputs, const float* output_gradient,
                    float* input_gradient) const {
  static_cast<void>(parameters);
  static_cast<void>(outputs);
  const size_t size = num_records * num_outputs();
  for (size_t i = 0; i < size; ++i) input_gradient[i] = inputs[i] > 0 ? output_gradient[i] : 0;
}

}  // namespace equinoise
