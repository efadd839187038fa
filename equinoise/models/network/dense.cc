// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/dense.h"

#include <fmt/format.h>

#include <Eigen/Core>

#include "equinoise/models/network/exact_outer_products.h"
#include "equinoise/models/network/matrix_product.h"
#include "equinoise/models/network/outer_products.h"

namespace equinoise {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

auto matrix(const float* values, size_t rows, size_t columns) {
  return Eigen::Map<const Matrix>(values, static_cast<Eigen::Index>(rows),
                                  static_cast<Eigen::Index>(columns));
}

auto matrix(float* values, size_t rows, size_t columns) {
  return Eigen::Map<Matrix>(values, static_cast<Eigen::Index>(rows),
                            static_cast<Eigen::Index>(columns));
}

/// Sets all records and forms the sum.
void sum_records(const Layer& layer, size_t num_records, const float* inputs,
                 const float* gradients, const double* weights, OuterProducts& products) {
  for (size_t i = 0; i < num_records; ++i) {
    products.set_record(i, inputs + i * layer.num_inputs(), gradients + i * layer.num_outputs(),
                        weights[i]);
  }
  products.sum();
}

}  // namespace

std::vector<std::string> Dense::parameter_names() const {
  std::vector<std::string> names;
  names.reserve(num_parameters());
  for (size_t j = 0; j <= num_inputs(); ++j) {
    const std::string from = j < num_inputs() ? fmt::format("{}", j) : "bias";
    for (size_t k = 0; k < num_outputs(); ++k) names.push_back(fmt::format("{} -> {}", from, k));
  }
  return names;
}

void Dense::initialise(std::mt19937_64& generator, std::span<double> parameters) const {
  initialise_uniformly(generator, num_inputs(), parameters);
}

void Dense::forward(const float* parameters, size_t num_records, const float* inputs,
                    float* outputs) const {
  multiply(num_records, num_inputs(), num_outputs(), inputs, parameters, outputs);
  const float* bias = parameters + num_inputs() * num_outputs();
  for (size_t i = 0; i < num_records; ++i) {
    for (size_t k = 0; k < num_outputs(); ++k) outputs[i * num_outputs() + k] += bias[k];
  }
}

void Dense::backward(const LayerPoint& at, const float* output_gradient,
                     float* input_gradient) const {
  multiply_transposed(at.num_records, num_outputs(), num_inputs(), output_gradient, at.parameters,
                      input_gradient);
}

void Dense::add_squared_norms(size_t num_records, const float* inputs, const float* output_gradient,
                              float*, double* squared_norms) const {
  for (size_t i = 0; i < num_records; ++i) {
    squared_norms[i] += (1 + squared_norm_of(inputs + i * num_inputs(), num_inputs())) *
                        squared_norm_of(output_gradient + i * num_outputs(), num_outputs());
  }
}

void Dense::add_weighted_sum(size_t num_records, const float* inputs, const float* output_gradient,
                             const float*, const double* weights, const SumScale& scale,
                             int64_t* units) const {
  add_outer_products_exactly(
      {num_records, num_inputs(), num_outputs(), inputs, output_gradient, weights}, scale.bound,
      units);
}

double Dense::squared_sum_norm(size_t num_records, const float* inputs,
                               const float* output_gradient, const float*, const double* weights,
                               const SumScale& scale) const {
  return squared_outer_products_norm(
      {num_records, num_inputs(), num_outputs(), inputs, output_gradient, weights}, scale.bound);
}

void Dense::add_weighted_sum(size_t num_records, const float* inputs, const float* output_gradient,
                             const float*, const double* weights, double* sum) const {
  thread_local OuterProducts products;
  products.start(num_records, num_inputs(), num_outputs());
  sum_records(*this, num_records, inputs, output_gradient, weights, products);
  for (size_t j = 0; j <= num_inputs(); ++j) {
    const double* row = products.row(j);
    for (size_t k = 0; k < num_outputs(); ++k) sum[j * num_outputs() + k] += row[k];
  }
}

void Dense::forward_tangent(const LayerPoint& at, const float* direction,
                            const float* input_tangent, float* output_tangent) const {
  forward(direction, at.num_records, at.inputs, output_tangent);
  matrix(output_tangent, at.num_records, num_outputs()).noalias() +=
      matrix(input_tangent, at.num_records, num_inputs()) *
      matrix(at.parameters, num_inputs(), num_outputs());
}

void Dense::backward_tangent(const LayerPoint& at, const float* direction, const float*,
                             const float* output_gradient, const float* gradient_tangent,
                             float* input_gradient_tangent) const {
  backward(at, gradient_tangent, input_gradient_tangent);
  matrix(input_gradient_tangent, at.num_records, num_inputs()).noalias() +=
      matrix(output_gradient, at.num_records, num_outputs()) *
      matrix(direction, num_inputs(), num_outputs()).transpose();
}

void Dense::add_sum_tangent(const LayerPoint& at, const float* input_tangent,
                            const float* output_gradient, const float* gradient_tangent,
                            double* sum) const {
  const auto inputs = matrix(at.inputs, at.num_records, num_inputs());
  const auto tangents = matrix(gradient_tangent, at.num_records, num_outputs());
  thread_local Matrix product;
  product.noalias() = inputs.transpose() * tangents;
  product.noalias() += matrix(input_tangent, at.num_records, num_inputs()).transpose() *
                       matrix(output_gradient, at.num_records, num_outputs());
  const size_t num_weights = num_inputs() * num_outputs();
  for (size_t j = 0; j < num_weights; ++j) sum[j] += product.data()[j];
  for (size_t i = 0; i < at.num_records; ++i) {
    for (size_t k = 0; k < num_outputs(); ++k)
      sum[num_weights + k] += gradient_tangent[i * num_outputs() + k];
  }
}

}  // namespace equinoise
