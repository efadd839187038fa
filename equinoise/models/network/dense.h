// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/network/layer.h"

namespace equinoise {

/// z = (x, 1) W, a fully connected layer. Parameters: (num_inputs + 1, num_outputs), the bias row
/// last. A record's gradient is (x, 1) g^T, with squared norm (|x|^2 + 1) |g|^2.
class Dense final : public Layer {
 public:
  using Layer::Layer;

  size_t num_parameters() const override { return (num_inputs() + 1) * num_outputs(); }
  std::vector<std::string> parameter_names() const override;
  void initialise(std::mt19937_64& generator, std::span<double> parameters) const override;
  void forward(const float* parameters, size_t num_records, const float* inputs,
               float* outputs) const override;
  void backward(const LayerPoint& at, const float* output_gradient,
                float* input_gradient) const override;
  void add_squared_norms(size_t num_records, const float* inputs, const float* output_gradient,
                         float* kept, double* squared_norms) const override;
  void add_weighted_sum(size_t num_records, const float* inputs, const float* output_gradient,
                        const float* kept, const double* weights, const SumScale& scale,
                        int64_t* units) const override;
  double squared_sum_norm(size_t num_records, const float* inputs, const float* output_gradient,
                          const float* kept, const double* weights,
                          const SumScale& scale) const override;
  void add_weighted_sum(size_t num_records, const float* inputs, const float* output_gradient,
                        const float* kept, const double* weights, double* sum) const override;
  void forward_tangent(const LayerPoint& at, const float* direction, const float* input_tangent,
                       float* output_tangent) const override;
  void backward_tangent(const LayerPoint& at, const float* direction, const float* input_tangent,
                        const float* output_gradient, const float* gradient_tangent,
                        float* input_gradient_tangent) const override;
  void add_sum_tangent(const LayerPoint& at, const float* input_tangent,
                       const float* output_gradient, const float* gradient_tangent,
                       double* sum) const override;
};

}  // namespace equinoise
