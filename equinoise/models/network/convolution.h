// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/models/network/correlation.h"
#include "equinoise/models/network/layer.h"

namespace equinoise {

/// Cross-correlation with square kernels and a bias for each output channel, without padding,
/// stride 1, as torch's Conv2d. Parameters: (num_taps + 1, channels), the bias row last.
///
/// Each record's gradient is written out, in single precision. The sum needs the same product, so
/// that norms cost only a pass over it. The Gram form (inner products of patches) helps if only
/// norms are wanted, and would come on top.
class Convolution final : public Layer {
 public:
  /// Pre: as Correlation.
  Convolution(const MapShape& input, size_t num_channels, size_t kernel_size)
      : Layer(input.num_values(),
              Correlation(input, num_channels, kernel_size).output().num_values()),
        correlation_(input, num_channels, kernel_size) {}

  const MapShape& output() const { return correlation_.output(); }
  size_t num_parameters() const override {
    return (correlation_.num_taps() + 1) * output().channels;
  }
  std::vector<std::string> parameter_names() const override;
  void initialise(std::mt19937_64& generator, std::span<double> parameters) const override;
  void forward(const float* parameters, size_t num_records, const float* inputs,
               float* outputs) const override;
  void backward(const LayerPoint& at, const float* output_gradient,
                float* input_gradient) const override;
  size_t num_kept() const override { return num_parameters(); }
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

 private:
  /// The bias row of each record's gradient.
  void write_bias_gradients(size_t num_records, const float* output_gradient,
                            float* gradients) const;

  /// The weighted sum in units, (num_parameters). Each record's gradient is truncated towards zero
  /// on the grid, which never raises its norm; sums of such integers are exact in double precision.
  const std::vector<double>& sum_exactly(size_t num_records, const float* kept,
                                         const double* weights, const SumScale& scale) const;

  Correlation correlation_;
};

}  // namespace equinoise
