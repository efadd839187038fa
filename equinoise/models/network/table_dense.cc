#include "equinoise/models/network/table_dense.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/models/input_norm.h"
#include "equinoise/models/network/layer.h"
#include "equinoise/models/network/outer_products.h"

namespace equinoise {

namespace {

/// The numeric features alone: one-hot blocks are added as rows.
void sum_records(const EncodedTable& table, std::span<const uint32_t> records, size_t num_outputs,
                 const float* gradients, const double* weights, OuterProducts& products) {
  for (size_t i = 0; i < records.size(); ++i) {
    products.set_record(i, table.dense_row(records[i]).data(), gradients + i * num_outputs,
                        weights[i]);
  }
  products.sum();
}

/// The sum for the one-hot features, (num_active features, products.pitch()), in the unit of
/// `products`: sums of integers of the same size, which stay exact.
const std::vector<double>& one_hot_rows(const EncodedTable& table,
                                        std::span<const uint32_t> records, const double* weights,
                                        const OuterProducts& products) {
  thread_local std::vector<double> sum;
  const size_t pitch = products.pitch();
  sum.assign((table.num_features - table.num_dense) * pitch, 0.0);
  for (size_t i = 0; i < records.size(); ++i) {
    if (weights[i] == 0) continue;
    for (uint32_t feature : table.active_row(records[i])) {
      widest_kernels().add_scaled(products.one(), products.gradient(i), pitch,
                                  sum.data() + (feature - table.num_dense) * pitch);
    }
  }
  return sum;
}

/// add(row of the sum, row of parameters) for every row.
template <typename Add>
void for_each_row(const EncodedTable& table, const std::vector<double>& one_hot,
                  const OuterProducts& products, const Add& add) {
  for (size_t j = 0; j < table.num_dense; ++j) add(products.row(j), j);
  for (size_t j = table.num_dense; j < table.num_features; ++j)
    add(one_hot.data() + (j - table.num_dense) * products.pitch(), j);
  add(products.row(table.num_dense), table.num_features);
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
  // A record is a sum of few rows: the bias, the numeric features times their weights, and a row
  // for each one-hot feature.
  thread_local std::vector<float> weights;
  thread_local std::vector<size_t> offsets;
  weights.assign(1 + table.num_dense + table.num_active, 1.0F);
  offsets.assign(weights.size(), table.num_features * num_outputs_);
  for (size_t j = 0; j < table.num_dense; ++j) offsets[1 + j] = j * num_outputs_;
  for (size_t i = 0; i < records.size(); ++i) {
    const std::span<const float> dense = table.dense_row(records[i]);
    std::copy(dense.begin(), dense.end(), weights.begin() + 1);
    const std::span<const uint32_t> active = table.active_row(records[i]);
    for (size_t j = 0; j < active.size(); ++j)
      offsets[1 + table.num_dense + j] = active[j] * num_outputs_;
    widest_kernels().sum_row(weights.data(), parameters, offsets.data(), offsets.size(),
                             num_outputs_, outputs + i * num_outputs_);
  }
}

void TableDense::add_squared_norms(const EncodedTable& table, std::span<const uint32_t> records,
                                   const float* output_gradient, double* squared_norms) const {
  for (size_t i = 0; i < records.size(); ++i) {
    squared_norms[i] += squared_input_norm(table, records[i]) *
                        squared_norm_of(output_gradient + i * num_outputs_, num_outputs_);
  }
}

void TableDense::add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                                  const float* output_gradient, const double* weights,
                                  const SumScale& scale, int64_t* units) const {
  thread_local OuterProducts products;
  products.start_exactly(records.size(), table.num_dense, num_outputs_, scale.bound);
  sum_records(table, records, num_outputs_, output_gradient, weights, products);
  for_each_row(table, one_hot_rows(table, records, weights, products), products,
               [&](const double* row, size_t j) {
                 widest_kernels().add_rounded(products.unit() / scale.grid, row, num_outputs_,
                                              units + j * num_outputs_);
               });
}

void TableDense::add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                                  const float* output_gradient, const double* weights,
                                  double* sum) const {
  thread_local OuterProducts products;
  products.start_plainly(records.size(), table.num_dense, num_outputs_);
  sum_records(table, records, num_outputs_, output_gradient, weights, products);
  for_each_row(table, one_hot_rows(table, records, weights, products), products,
               [&](const double* row, size_t j) {
                 for (size_t k = 0; k < num_outputs_; ++k) sum[j * num_outputs_ + k] += row[k];
               });
}

}  // namespace equinoise
