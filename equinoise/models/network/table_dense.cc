#include "equinoise/models/network/table_dense.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/models/input_norm.h"
#include "equinoise/models/network/layer.h"
#include "equinoise/models/network/outer_products.h"

namespace equinoise {

namespace {

/// The numeric features alone: one-hot blocks are added as rows. Records of weight 0 are left out.
OuterFactors& factors_of(const EncodedTable& table, std::span<const uint32_t> records,
                         size_t num_outputs, const float* gradients, const double* weights) {
  thread_local OuterFactors factors;
  factors.resize(records.size(), table.num_dense, num_outputs);
  for (size_t i = 0; i < records.size(); ++i) {
    double* row = factors.input_row(i);
    double* gradient = factors.gradient_row(i);
    if (weights[i] == 0) {
      std::fill_n(row, table.num_dense + 1, 0.0);
      std::fill_n(gradient, num_outputs, 0.0);
      continue;
    }
    const std::span<const float> dense = table.dense_row(records[i]);
    std::copy(dense.begin(), dense.end(), row);
    row[table.num_dense] = 1;
    for (size_t k = 0; k < num_outputs; ++k) {
      gradient[k] = weights[i] * static_cast<double>(gradients[i * num_outputs + k]);
    }
  }
  return factors;
}

/// The whole sum, (num_features + 1, products.pitch), in the unit of `products`: what is added to
/// it are integers of the same size, so it stays exact.
std::vector<double>& with_one_hot_rows(const EncodedTable& table, std::span<const uint32_t> records,
                                       const double* weights, const OuterProducts& products) {
  thread_local std::vector<double> sum;
  const size_t pitch = products.pitch;
  sum.assign((table.num_features + 1) * pitch, 0.0);
  const double* bias = products.sum.data() + table.num_dense * pitch;
  std::copy(products.sum.data(), bias, sum.data());
  std::copy_n(bias, pitch, sum.data() + table.num_features * pitch);
  for (size_t i = 0; i < records.size(); ++i) {
    if (weights[i] == 0) continue;
    const double* ones = products.ones.data() + i * pitch;
    for (uint32_t feature : table.active_row(records[i])) {
      double* row = sum.data() + feature * pitch;
      for (size_t k = 0; k < pitch; ++k) row[k] += ones[k];
    }
  }
  return sum;
}

}  // namespace

std::vector<std::string> TableDense::parameter_names() const {
  std::vector<std::string> names;
  names.reserve(num_parameters());
  for (size_t j = 0; j <= feature_names_.size(); ++j) {
    const std::string& from = j < feature_names_.size() ? feature_names_[j] : "bias";
    for (size_t k = 0; k < num_outputs_; ++k) names.push_back(fmt::format("{} -> {}", from, k));
  }
  return names;
}

void TableDense::initialise(std::mt19937_64& generator, std::span<double> parameters) const {
  initialise_uniformly(generator, std::max<size_t>(feature_names_.size(), 1), parameters);
}

void TableDense::forward(const EncodedTable& table, std::span<const uint32_t> records,
                         const float* parameters, float* outputs) const {
  const float* bias = parameters + table.num_features * num_outputs_;
  for (size_t i = 0; i < records.size(); ++i) {
    float* output = outputs + i * num_outputs_;
    std::copy_n(bias, num_outputs_, output);
    const std::span<const float> dense = table.dense_row(records[i]);
    for (size_t j = 0; j < dense.size(); ++j) {
      const float* row = parameters + j * num_outputs_;
      for (size_t k = 0; k < num_outputs_; ++k) output[k] += dense[j] * row[k];
    }
    for (uint32_t feature : table.active_row(records[i])) {
      const float* row = parameters + feature * num_outputs_;
      for (size_t k = 0; k < num_outputs_; ++k) output[k] += row[k];
    }
  }
}

void TableDense::add_squared_norms(const EncodedTable& table, std::span<const uint32_t> records,
                                   const float* output_gradient, double* squared_norms) const {
  for (size_t i = 0; i < records.size(); ++i) {
    double squared = 0;
    for (size_t k = 0; k < num_outputs_; ++k) {
      const double gradient = output_gradient[i * num_outputs_ + k];
      squared += gradient * gradient;
    }
    squared_norms[i] += squared_input_norm(table, records[i]) * squared;
  }
}

void TableDense::add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                                  const float* output_gradient, const double* weights,
                                  const SumScale& scale, int64_t* units) const {
  thread_local OuterProducts products;
  sum_exactly(factors_of(table, records, num_outputs_, output_gradient, weights), scale.bound,
              products);
  const std::vector<double>& sum = with_one_hot_rows(table, records, weights, products);
  const double factor = products.unit / scale.grid;
  for (size_t j = 0; j <= table.num_features; ++j) {
    widest_kernels().add_rounded(factor, sum.data() + j * products.pitch, num_outputs_,
                                 units + j * num_outputs_);
  }
}

void TableDense::add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                                  const float* output_gradient, const double* weights,
                                  double* sum) const {
  thread_local OuterProducts products;
  sum_plainly(factors_of(table, records, num_outputs_, output_gradient, weights), products);
  const std::vector<double>& added = with_one_hot_rows(table, records, weights, products);
  for (size_t j = 0; j <= table.num_features; ++j) {
    for (size_t k = 0; k < num_outputs_; ++k)
      sum[j * num_outputs_ + k] += added[j * products.pitch + k];
  }
}

}  // namespace equinoise
