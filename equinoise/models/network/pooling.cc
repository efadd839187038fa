// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/pooling.h"

#include <algorithm>
#include <cmath>

namespace equinoise {

void Pooling::backward_tangent(const LayerPoint& at, const float*, const float*, const float*,
                               const float* gradient_tangent, float* input_gradient_tangent) const {
  backward(at, gradient_tangent, input_gradient_tangent);
}

void AveragePooling::forward(const float*, size_t num_records, const float* inputs,
                             float* outputs) const {
  const float share = 1 / static_cast<float>(size() * size());
  for_each_square(num_records, [&](size_t first, size_t output) {
    float sum = 0;
    for (size_t y = 0; y < size(); ++y) {
      for (size_t x = 0; x < size(); ++x) sum += inputs[first + y * row_length() + x];
    }
    outputs[output] = sum * share;
  });
}

void AveragePooling::backward(const LayerPoint& at, const float* output_gradient,
                              float* input_gradient) const {
  std::fill_n(input_gradient, at.num_records * num_inputs(), 0.0F);
  const float share = 1 / static_cast<float>(size() * size());
  for_each_square(at.num_records, [&](size_t first, size_t output) {
    for (size_t y = 0; y < size(); ++y) {
      for (size_t x = 0; x < size(); ++x)
        input_gradient[first + y * row_length() + x] = output_gradient[output] * share;
    }
  });
}

void AveragePooling::forward_tangent(const LayerPoint& at, const float* direction,
                                     const float* input_tangent, float* output_tangent) const {
  forward(direction, at.num_records, input_tangent, output_tangent);
}

size_t MaxPooling::largest(const float* inputs, size_t first) const {
  size_t best = first;
  for (size_t y = 0; y < size(); ++y) {
    for (size_t x = 0; x < size(); ++x) {
      const size_t other = first + y * row_length() + x;
      if (!(inputs[other] <= inputs[best]) && !std::isnan(inputs[best])) best = other;
    }
  }
  return best;
}

void MaxPooling::forward(const float*, size_t num_records, const float* inputs,
                         float* outputs) const {
  for_each_square(num_records, [&](size_t first, size_t output) {
    outputs[output] = inputs[largest(inputs, first)];
  });
}

void MaxPooling::backward(const LayerPoint& at, const float* output_gradient,
                          float* input_gradient) const {
  std::fill_n(input_gradient, at.num_records * num_inputs(), 0.0F);
  for_each_square(at.num_records, [&](size_t first, size_t output) {
    input_gradient[largest(at.inputs, first)] = output_gradient[output];
  });
}

void MaxPooling::forward_tangent(const LayerPoint& at, const float*, const float* input_tangent,
                                 float* output_tangent) const {
  for_each_square(at.num_records, [&](size_t first, size_t output) {
    output_tangent[output] = input_tangent[largest(at.inputs, first)];
  });
}

}  // namespace equinoise
