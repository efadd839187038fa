#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "equinoise/models/model.h"

namespace equinoise {

/// One layer of a network on a tile of records. Values are single precision, (records, size).
///
/// A record's gradient at the layer's parameters is made of its inputs and its output gradient as
/// they stand, and is never materialised for the tile. A record's outputs depend on that record
/// alone and on its place in the tile.
class Layer {
 public:
  Layer(size_t num_inputs, size_t num_outputs)
      : num_inputs_(num_inputs), num_outputs_(num_outputs) {}
  virtual ~Layer() = default;

  size_t num_inputs() const { return num_inputs_; }
  size_t num_outputs() const { return num_outputs_; }
  virtual size_t num_parameters() const { return 0; }

  /// (num_parameters): "3 -> 7", "bias -> 7".
  virtual std::vector<std::string> parameter_names() const { return {}; }

  /// As torch does: uniform within 1 / sqrt(inputs per output), weights and biases.
  virtual void initialise(std::mt19937_64& generator, std::span<double> parameters) const {
    static_cast<void>(generator);
    static_cast<void>(parameters);
  }

  virtual void forward(const float* parameters, size_t num_records, const float* inputs,
                       float* outputs) const = 0;

  virtual void backward(const float* parameters, size_t num_records, const float* inputs,
                        const float* outputs, const float* output_gradient,
                        float* input_gradient) const = 0;

  /// Adds the squared norm of each record's gradient, (num_records), up to rounding in double.
  virtual void add_squared_norms(size_t num_records, const float* inputs,
                                 const float* output_gradient, double* squared_norms) const {
    static_cast<void>(num_records);
    static_cast<void>(inputs);
    static_cast<void>(output_gradient);
    static_cast<void>(squared_norms);
  }

  /// Adds the weighted sum of the gradients, (num_parameters), see Model::add_weighted_sum.
  virtual void add_weighted_sum(size_t num_records, const float* inputs,
                                const float* output_gradient, const double* weights,
                                const SumScale& scale, int64_t* units) const {
    static_cast<void>(num_records);
    static_cast<void>(inputs);
    static_cast<void>(output_gradient);
    static_cast<void>(weights);
    static_cast<void>(scale);
    static_cast<void>(units);
  }
  virtual void add_weighted_sum(size_t num_records, const float* inputs,
                                const float* output_gradient, const double* weights,
                                double* sum) const {
    static_cast<void>(num_records);
    static_cast<void>(inputs);
    static_cast<void>(output_gradient);
    static_cast<void>(weights);
    static_cast<void>(sum);
  }

 private:
  size_t num_inputs_;
  size_t num_outputs_;
};

/// Fills `parameters` with independent uniform numbers within +-1 / sqrt(num_inputs).
void initialise_uniformly(std::mt19937_64& generator, size_t num_inputs,
                          std::span<double> parameters);

}  // namespace equinoise
