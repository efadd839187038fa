// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "equinoise/models/model.h"

namespace equinoise {

/// A layer's values in a pass over a tile of records, in single precision.
struct LayerPoint {
  const float* parameters;
  size_t num_records;
  const float* inputs;   ///< (num_records, num_inputs)
  const float* outputs;  ///< (num_records, num_outputs), the results of forward
};

/// One layer of a network on a tile of records.
///
/// A record's gradient at the layer's parameters is computed from its inputs and its output
/// gradient as they are in memory. The results for a record depend on that record alone, to the
/// bit: neither on the others of the tile nor on its place among them. See
/// docs/theory/mechanisms.md.
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

  /// Initialises as torch does: uniform within 1 / sqrt(inputs per output), weights and biases.
  virtual void initialise(std::mt19937_64& /*generator*/, std::span<double> /*parameters*/) const {}

  virtual void forward(const float* parameters, size_t num_records, const float* inputs,
                       float* outputs) const = 0;

  virtual void backward(const LayerPoint& at, const float* output_gradient,
                        float* input_gradient) const = 0;

  /// Returns whether outputs may overwrite the inputs, and an input gradient the output gradient:
  /// the layer does not read `LayerPoint::inputs`.
  virtual bool works_in_place() const { return false; }

  /// The number of values of each record that add_squared_norms keeps for add_weighted_sum: the
  /// record's own gradient, if writing it out costs no more than the sum does.
  virtual size_t num_kept() const { return 0; }

  /// Adds the squared norm of each record's gradient, (num_records), up to rounding in double.
  /// kept: (num_records, num_kept).
  virtual void add_squared_norms(size_t /*num_records*/, const float* /*inputs*/,
                                 const float* /*output_gradient*/, float* /*kept*/,
                                 double* /*squared_norms*/) const {}

  /// Adds the weighted sum of the gradients, (num_parameters), see Model::add_weighted_sum.
  virtual void add_weighted_sum(size_t /*num_records*/, const float* /*inputs*/,
                                const float* /*output_gradient*/, const float* /*kept*/,
                                const double* /*weights*/, const SumScale& /*scale*/,
                                int64_t* /*units*/) const {}
  /// The squared norm, in units, of the sum that add_weighted_sum adds, up to rounding in double;
  /// see Model::squared_sum_norm.
  virtual double squared_sum_norm(size_t /*num_records*/, const float* /*inputs*/,
                                  const float* /*output_gradient*/, const float* /*kept*/,
                                  const double* /*weights*/, const SumScale& /*scale*/) const {
    return 0;
  }
  virtual void add_weighted_sum(size_t /*num_records*/, const float* /*inputs*/,
                                const float* /*output_gradient*/, const float* /*kept*/,
                                const double* /*weights*/, double* /*sum*/) const {}

  /// The tangent of forward. Tangents are derivatives along a direction in which parameters change
  /// by `direction` (num_parameters) and inputs by `input_tangent`.
  virtual void forward_tangent(const LayerPoint& at, const float* direction,
                               const float* input_tangent, float* output_tangent) const = 0;

  /// The tangent of backward's result when `output_gradient` changes by `gradient_tangent`.
  virtual void backward_tangent(const LayerPoint& at, const float* direction,
                                const float* input_tangent, const float* output_gradient,
                                const float* gradient_tangent,
                                float* input_gradient_tangent) const = 0;

  /// Adds the tangent of the sum of all records' gradients, (num_parameters).
  virtual void add_sum_tangent(const LayerPoint& /*at*/, const float* /*input_tangent*/,
                               const float* /*output_gradient*/, const float* /*gradient_tangent*/,
                               double* /*sum*/) const {}

 private:
  size_t num_inputs_;
  size_t num_outputs_;
};

/// Fills `parameters` with independent uniform numbers within +-1 / sqrt(num_inputs).
void initialise_uniformly(std::mt19937_64& generator, size_t num_inputs,
                          std::span<double> parameters);

/// The sum of squares, in double precision.
double squared_norm_of(const float* values, size_t size);

}  // namespace equinoise
