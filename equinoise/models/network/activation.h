// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "equinoise/models/network/layer.h"

namespace equinoise {

/// A function of each value. `Function` gives the values and, from them, the first and second
/// derivatives.
template <typename Function>
class Activation final : public Layer {
 public:
  explicit Activation(size_t size) : Layer(size, size) {}

  bool works_in_place() const override { return true; }

  void forward(const float* /*parameters*/, size_t num_records, const float* inputs,
               float* outputs) const override {
    const size_t size = num_records * num_outputs();
    if (outputs != inputs) std::copy_n(inputs, size, outputs);
    Function::apply(std::span(outputs, size));
  }

  void backward(const LayerPoint& at, const float* output_gradient,
                float* input_gradient) const override {
    const size_t size = at.num_records * num_outputs();
    for (size_t i = 0; i < size; ++i)
      input_gradient[i] = Function::chain(output_gradient[i], at.outputs[i]);
  }

  void forward_tangent(const LayerPoint& at, const float* /*direction*/, const float* input_tangent,
                       float* output_tangent) const override {
    backward(at, input_tangent, output_tangent);
  }

  void backward_tangent(const LayerPoint& at, const float* /*direction*/,
                        const float* input_tangent, const float* output_gradient,
                        const float* gradient_tangent,
                        float* input_gradient_tangent) const override {
    const size_t size = at.num_records * num_outputs();
    for (size_t i = 0; i < size; ++i) {
      input_gradient_tangent[i] =
          Function::chain(gradient_tangent[i], at.outputs[i]) +
          output_gradient[i] * input_tangent[i] * Function::curvature(at.outputs[i]);
    }
  }
};

struct TanhFunction {
  static void apply(std::span<float> values);
  /// `value` times the derivative.
  static float chain(float value, float output) { return value * (1 - output * output); }
  static float curvature(float output) { return -2 * output * (1 - output * output); }
};

/// max(0, x); the derivative at 0 is 0.
struct ReluFunction {
  static void apply(std::span<float> values);
  static float chain(float value, float output) { return output > 0 ? value : 0; }
  static float curvature(float /*output*/) { return 0; }
};

/// 1 / (1 + exp(-x)).
struct SigmoidFunction {
  static void apply(std::span<float> values);
  static float chain(float value, float output) { return value * output * (1 - output); }
  static float curvature(float output) { return output * (1 - output) * (1 - 2 * output); }
};

using Tanh = Activation<TanhFunction>;
using Relu = Activation<ReluFunction>;
using Sigmoid = Activation<SigmoidFunction>;

}  // namespace equinoise
