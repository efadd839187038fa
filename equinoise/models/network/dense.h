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
  void backward(const float* parameters, size_t num_records, const float* inputs,
                const float* outputs, const float* output_gradient,
                float* input_gradient) const override;
  void add_squared_norms(size_t num_records, const float* inputs, const float* output_gradient,
                         double* squared_norms) const override;
  void add_weighted_sum(size_t num_records, const float* inputs, const float* output_gradient,
                        const double* weights, const SumScale& scale,
                        int64_t* units) const override;
  void add_weighted_sum(size_t num_records, const float* inputs, const float* output_gradient,
                        const double* weights, double* sum) const override;
};

}  // namespace equinoise
