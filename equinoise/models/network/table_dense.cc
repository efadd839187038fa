// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network/table_dense.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/models/input_norm.h"
#include "equinoise/models/network/exact_outer_products.h"
#include "equinoise/models/network/gram.h"
#include "equinoise/models/network/layer.h"
#include "equinoise/models/network/outer_products.h"

namespace equinoise {

namespace {

/// The weighted gradients in double precision, for the features of num_dense to num_features: rows
/// of (num_outputs) sums, `pitch` apart.
const std::vector<double>& one_hot_rows(const TableRows& rows, const double* weights,
                                        const OuterProducts& products) {
  thread_local std::vector<double> sum;
  const size_t pitch = products.pitch();
  sum.assign((rows.table.num_features - rows.table.num_dense) * pitch, 0.0);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (weights[i] == 0) continue;
    for (uint32_t feature : rows.table.active_row(rows.records[i])) {
      widest_kernels().add_scaled(1, products.gradient(i), pitch,
                                  sum.data() + (feature - rows.table.num_dense) * pitch);
    }
  }
  return sum;
}

/// The factor that turns a record's weighted gradient into integers, which each of its one-hot
/// features adds to its row: multiples of 2^kLowBits units, truncated towards zero. They are below
/// 2^(kUnitBits + 1 - kLowBits), so that sums of kMaxOuterProducts fit into 32 bits.
double one_hot_scale(double bound) { return std::ldexp(1 / exact_unit(bound), -kLowBits); }

/// Adds the rows of the one-hot features to `units`, (num_features - num_dense, num_outputs), in
/// units of exact_unit(bound). Errors: kRuntime for more than kMaxOuterProducts records.
void add_one_hot_rows_exactly(const TableRows& rows, size_t num_outputs, const float* gradients,
                              const double* weights, double bound, int64_t* units) {
  if (rows.size() > kMaxOuterProducts)
    throw Error(ErrorKind::kRuntime, "models.network", "too many records for an exact sum");
  const double to_integers = one_hot_scale(bound);
  const Kernels& kernels = widest_kernels();
  thread_local std::vector<int32_t> sum;
  thread_local std::vector<int32_t> gradient;
  sum.assign((rows.table.num_features - rows.table.num_dense) * num_outputs, 0);
  gradient.resize(num_outputs);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (weights[i] == 0) continue;
    kernels.truncate(weights[i] * to_integers, gradients + i * num_outputs, num_outputs,
                     gradient.data());
    for (uint32_t feature : rows.table.active_row(rows.records[i])) {
      kernels.add_row(gradient.data(), num_outputs,
                      sum.data() + (feature - rows.table.num_dense) * num_outputs);
    }
  }
  kernels.add_multiple(1 << kLowBits, sum.data(), sum.size(), units);
}

/// The squared norm of the rows that add_one_hot_rows_exactly adds, up to rounding in double.
double squared_one_hot_norm(const TableRows& rows, size_t num_outputs, const float* gradients,
                            const double* weights, double bound) {
  thread_local Gram integers;
  integers.start(rows.size(), num_outputs);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (weights[i] == 0) continue;
    widest_kernels().add_truncated(weights[i] * one_hot_scale(bound), gradients + i * num_outputs,
                                   num_outputs, integers.row(i));
  }
  integers.multiply();
  // Both lists ascend, and a feature may be at different places in them.
  const auto num_shared = [&](size_t i, size_t j) {
    const std::span<const uint32_t> first = rows.table.active_row(rows.records[i]);
    const std::span<const uint32_t> second = rows.table.active_row(rows.records[j]);
    double count = 0;
    for (size_t a = 0, b = 0; a < first.size() && b < second.size();) {
      const uint32_t of_first = first[a];
      const uint32_t of_second = second[b];
      count += of_first == of_second ? 1 : 0;
      a += of_first <= of_second ? 1 : 0;
      b += of_second <= of_first ? 1 : 0;
    }
    return count;
  };
  return std::ldexp(squared_sum_norm(num_shared, integers), 2 * kLowBits);
}

/// The numeric features of the records, (records, num_dense).
const float* dense_inputs(const TableRows& rows) {
  thread_local std::vector<float> inputs;
  inputs.clear();
  for (const uint32_t record : rows.records) {
    const std::span<const float> dense = rows.table.dense_row(record);
    append(inputs, dense);
  }
  return inputs.data();
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

void TableDense::forward(const TableRows& rows, const float* parameters, float* outputs) const {
  // A record is a sum of few rows: the bias, the numeric features times their weights, and a row
  // for each one-hot feature.
  thread_local std::vector<float> weights;
  thread_local std::vector<size_t> offsets;
  weights.assign(1 + rows.table.num_dense + rows.table.num_active, 1.0F);
  offsets.assign(weights.size(), rows.table.num_features * num_outputs_);
  for (size_t j = 0; j < rows.table.num_dense; ++j) offsets[1 + j] = j * num_outputs_;
  for (size_t i = 0; i < rows.size(); ++i) {
    rows.table.prefetch_row(rows.records, i);
    const std::span<const float> dense = rows.table.dense_row(rows.records[i]);
    std::ranges::copy(dense, weights.begin() + 1);
    const std::span<const uint32_t> active = rows.table.active_row(rows.records[i]);
    for (size_t j = 0; j < active.size(); ++j)
      offsets[1 + rows.table.num_dense + j] = active[j] * num_outputs_;
    widest_kernels().sum_row(weights.data(), parameters, offsets.data(), offsets.size(),
                             num_outputs_, outputs + i * num_outputs_);
  }
}

void TableDense::add_squared_norms(const TableRows& rows, const float* output_gradient,
                                   double* squared_norms) const {
  for (size_t i = 0; i < rows.size(); ++i) {
    squared_norms[i] += squared_input_norm(rows.table, rows.records[i]) *
                        squared_norm_of(output_gradient + i * num_outputs_, num_outputs_);
  }
}

void TableDense::add_weighted_sum(const TableRows& rows, const float* output_gradient,
                                  const double* weights, const SumScale& scale,
                                  int64_t* units) const {
  // Rows of the numeric features and of the bias, which comes after the one-hot features.
  thread_local std::vector<int64_t> sum;
  const size_t num_weights = rows.table.num_dense * num_outputs_;
  sum.assign(num_weights + num_outputs_, 0);
  add_outer_products_exactly({rows.size(), rows.table.num_dense, num_outputs_, dense_inputs(rows),
                              output_gradient, weights},
                             scale.bound, sum.data());
  for (size_t j = 0; j < num_weights; ++j) units[j] += sum[j];
  int64_t* bias = units + rows.table.num_features * num_outputs_;
  for (size_t k = 0; k < num_outputs_; ++k) bias[k] += sum[num_weights + k];
  add_one_hot_rows_exactly(rows, num_outputs_, output_gradient, weights, scale.bound,
                           units + num_weights);
}

double TableDense::squared_sum_norm(const TableRows& rows, const float* output_gradient,
                                    const double* weights, const SumScale& scale) const {
  return squared_outer_products_norm({rows.size(), rows.table.num_dense, num_outputs_,
                                      dense_inputs(rows), output_gradient, weights},
                                     scale.bound) +
         squared_one_hot_norm(rows, num_outputs_, output_gradient, weights, scale.bound);
}

void TableDense::add_weighted_sum(const TableRows& rows, const float* output_gradient,
                                  const double* weights, double* sum) const {
  thread_local OuterProducts products;
  products.start(rows.size(), rows.table.num_dense, num_outputs_);
  for (size_t i = 0; i < rows.size(); ++i) {
    products.set_record(i, rows.table.dense_row(rows.records[i]).data(),
                        output_gradient + i * num_outputs_, weights[i]);
  }
  products.sum();
  const std::vector<double>& one_hot = one_hot_rows(rows, weights, products);
  const auto add = [&](const double* row, size_t j) {
    for (size_t k = 0; k < num_outputs_; ++k) sum[j * num_outputs_ + k] += row[k];
  };
  for (size_t j = 0; j < rows.table.num_dense; ++j) add(products.row(j), j);
  for (size_t j = rows.table.num_dense; j < rows.table.num_features; ++j)
    add(one_hot.data() + (j - rows.table.num_dense) * products.pitch(), j);
  add(products.row(rows.table.num_dense), rows.table.num_features);
}

}  // namespace equinoise
