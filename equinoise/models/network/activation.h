#pragma once

#include "equinoise/models/network/layer.h"

namespace equinoise {

/// tanh of each value.
class Tanh final : public Layer {
 public:
  explicit Tanh(size_t size) : Layer(size, size) {}
  void forward(const float* parameters, size_t num_records, const float* inputs,
               float* outputs) const override;
  void backward(const float* parameters, size_t num_records, const float* inputs,
                const float* outputs, const float* output_gradient,
                float* input_gradient) const override;
};

/// max(0, x) of each value; the derivative at 0 is 0.
class Relu final : public Layer {
 public:
  explicit Relu(size_t size) : Layer(size, size) {}
  void forward(const float* parameters, size_t num_records, const float* inputs,
               float* outputs) const override;
  void backward(const float* parameters, size_t num_records, const float* inputs,
                const float* outputs, const float* output_gradient,
                float* input_gradient) const override;
};

}  // namespace equinoise
