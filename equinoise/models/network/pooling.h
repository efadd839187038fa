// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/network/layer.h"
#include "equinoise/models/network/map_shape.h"

namespace equinoise {

/// Pooling of squares of size x size pixels without overlap. Rows and columns that make no whole
/// square are left out, as in torch.
class Pooling : public Layer {
 public:
  /// Pre: 1 <= size <= height and width.
  Pooling(const MapShape& input, size_t size)
      : Layer(input.num_values(), input.channels * (input.height / size) * (input.width / size)),
        input_(input),
        size_(size) {}

  /// backward is linear in the output gradient.
  void backward_tangent(const LayerPoint& at, const float* direction, const float* input_tangent,
                        const float* output_gradient, const float* gradient_tangent,
                        float* input_gradient_tangent) const final;

  MapShape output() const { return {input_.channels, input_.height / size_, input_.width / size_}; }

 protected:
  /// Calls visit(first input of the square, output) for each output of `num_records` records.
  template <typename Visit>
  void for_each_square(size_t num_records, Visit visit) const {
    const size_t plane = input_.height * input_.width;
    size_t output = 0;
    for (size_t map = 0; map < num_records * input_.channels; ++map) {
      for (size_t y = 0; y < input_.height / size_; ++y) {
        for (size_t x = 0; x < input_.width / size_; ++x)
          visit(map * plane + (y * input_.width + x) * size_, output++);
      }
    }
  }
  size_t size() const { return size_; }
  size_t row_length() const { return input_.width; }

 private:
  MapShape input_;
  size_t size_;
};

/// The mean of each square.
class AveragePooling final : public Pooling {
 public:
  using Pooling::Pooling;
  void forward(const float* parameters, size_t num_records, const float* inputs,
               float* outputs) const override;
  void backward(const LayerPoint& at, const float* output_gradient,
                float* input_gradient) const override;
  void forward_tangent(const LayerPoint& at, const float* direction, const float* input_tangent,
                       float* output_tangent) const override;
};

/// The maximum of each square; among equal values the first has the derivative. NaN counts as a
/// maximum.
class MaxPooling final : public Pooling {
 public:
  using Pooling::Pooling;
  void forward(const float* parameters, size_t num_records, const float* inputs,
               float* outputs) const override;
  void backward(const LayerPoint& at, const float* output_gradient,
                float* input_gradient) const override;
  void forward_tangent(const LayerPoint& at, const float* direction, const float* input_tangent,
                       float* output_tangent) const override;

 private:
  size_t largest(const float* inputs, size_t first) const;
};

}  // namespace equinoise
