// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/additive.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "equinoise/models/generalised_linear.h"

namespace equinoise {

namespace {

std::vector<uint32_t> first(size_t count) {
  std::vector<uint32_t> records(count);
  std::iota(records.begin(), records.end(), 0U);
  return records;
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// NaN is in no cell.
bool has_cells(const EncodedTable& table, int64_t record) {
  const std::span<const float> dense = table.dense_row(record);
  return std::all_of(dense.begin(), dense.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace

AdditiveModel::AdditiveModel(std::unique_ptr<GeneralisedLinearModel> base,
                             std::vector<NumberCells> cells, size_t num_features)
    : base_(std::move(base)), cells_(std::move(cells)), num_features_(num_features) {}

EncodedTable AdditiveModel::in_cells(const EncodedTable& table,
                                     std::span<const uint32_t> records) const {
  EncodedTable made;
  made.num_records = static_cast<int64_t>(records.size());
  made.num_active = table.num_dense + table.num_active;
  made.num_features = static_cast<uint32_t>(base_->num_features());
  uint32_t offset = 0;
  for (const NumberCells& column : cells_) {
    made.blocks.push_back(offset);
    offset += static_cast<uint32_t>(column.size());
  }
  for (const uint32_t block : table.blocks) made.blocks.push_back(block - table.num_dense + offset);
  const bool shares_rows = !table.rows.empty();
  if (!shares_rows) made.active.reserve(records.size() * made.num_active);
  uint32_t num_rows = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    const uint32_t record = records[i];
    if (!shares_rows || i == 0 || table.rows[record] != table.rows[records[i - 1]]) {
      const std::span<const float> dense = table.dense_row(record);
      for (size_t j = 0; j < dense.size(); ++j)
        made.active.push_back(made.blocks[j] + static_cast<uint32_t>(cells_[j].cell_of(dense[j])));
      for (const uint32_t feature : table.active_row(record))
        made.active.push_back(feature - table.num_dense + offset);
      ++num_rows;
    }
    if (shares_rows) made.rows.push_back(num_rows - 1);
    if (!table.labels.empty()) made.labels.push_back(table.labels[record]);
    if (!table.targets.empty()) made.targets.push_back(table.targets[record]);
    made.contributes.push_back(has_cells(table, record) ? table.contributes[record] : uint8_t{0});
    if (!table.groups.empty()) made.groups.push_back(table.groups[record]);
  }
  made.classes = table.classes;
  made.target_offset = table.target_offset;
  made.target_divisor = table.target_divisor;
  made.target_lower = table.target_lower;
  made.target_upper = table.target_upper;
  return made;
}

EncodedTable AdditiveModel::in_cells(const EncodedTable& table) const {
  EncodedTable made = in_cells(table, first(static_cast<size_t>(table.num_records)));
  made.row_counts = table.row_counts;
  return made;
}

void AdditiveModel::score(const EncodedTable& table, std::span<const uint32_t> records,
                          std::span<const double> parameters, PerSample& out) const {
  base_->score(in_cells(table, records), first(records.size()), parameters, out);
  for (size_t i = 0; i < records.size(); ++i) {
    if (has_cells(table, records[i])) continue;
    std::fill_n(out.output_gradient.begin() + static_cast<std::ptrdiff_t>(i * num_outputs()),
                num_outputs(), kNaN);
    out.squared_norm[i] = kNaN;
  }
}

void AdditiveModel::losses(const EncodedTable& table, std::span<const uint32_t> records,
                           const PerSample& scored, std::span<double> losses) const {
  base_->losses(table, records, scored, losses);
}

void AdditiveModel::differentiate(const EncodedTable& table, std::span<const uint32_t> records,
                                  std::span<const double> added, PerSample& out) const {
  base_->differentiate(table, records, added, out);
}

void AdditiveModel::add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                                     const PerSample& samples, std::span<const double> weights,
                                     const SumScale& scale, std::span<int64_t> units) const {
  base_->add_weighted_sum(in_cells(table, records), first(records.size()), samples, weights, scale,
                          units);
}

void AdditiveModel::add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                                    const PerSample& samples, std::span<const double> weights,
                                    const SumScale& scale, std::span<int64_t> units) const {
  base_->add_counted_sum(in_cells(table, counted.records), {first(counted.size()), counted.counts},
                         samples, weights, scale, units);
}

void AdditiveModel::add_weighted_sum(const EncodedTable& table, std::span<const uint32_t> records,
                                     const PerSample& samples, std::span<const double> weights,
                                     std::span<double> sum) const {
  base_->add_weighted_sum(in_cells(table, records), first(records.size()), samples, weights, sum);
}

void AdditiveModel::sum_gradients(const EncodedTable& table, std::span<const uint32_t> records,
                                  const PerSample& samples, size_t place,
                                  std::span<const double> weights, GradientSum& sum) const {
  base_->sum_gradients(in_cells(table, records), first(records.size()), samples, place, weights,
                       sum);
}

void AdditiveModel::add_hessian_products(const EncodedTable& table,
                                         std::span<const uint32_t> records,
                                         std::span<const double> parameters,
                                         std::span<const double> weights,
                                         std::span<const double> directions,
                                         std::span<double> products) const {
  base_->add_hessian_products(in_cells(table, records), first(records.size()), parameters, weights,
                              directions, products);
}

void AdditiveModel::directional_derivatives(const EncodedTable& table,
                                            std::span<const uint32_t> records,
                                            const PerSample& samples,
                                            std::span<const double> direction,
                                            std::span<double> derivatives) const {
  base_->directional_derivatives(in_cells(table, records), first(records.size()), samples,
                                 direction, derivatives);
}

void AdditiveModel::add_residual_gradient(const EncodedTable& table,
                                          std::span<const uint32_t> records,
                                          std::span<const double> parameters,
                                          std::span<const double> coefficients,
                                          std::span<double> sum) const {
  base_->add_residual_gradient(in_cells(table, records), first(records.size()), parameters,
                               coefficients, sum);
}

Predictions AdditiveModel::predict(const EncodedTable& table, std::span<const double> parameters,
                                   int threads) const {
  Predictions predictions = base_->predict(in_cells(table), parameters, threads);
  for (int64_t i = 0; i < table.num_records; ++i) {
    if (has_cells(table, i)) continue;
    const size_t size = predictions.num_outputs;
    std::fill_n(predictions.outputs.begin() + i * static_cast<std::ptrdiff_t>(size), size, kNaN);
    if (!predictions.loss.empty()) predictions.loss[static_cast<size_t>(i)] = kNaN;
  }
  return predictions;
}

std::unique_ptr<Model> make_additive(const std::vector<std::string>& feature_names,
                                     const std::vector<std::string>& classes,
                                     std::vector<NumberCells> cells, double start) {
  std::vector<std::string> names;
  for (const NumberCells& column : cells)
    for (size_t cell = 0; cell < column.size(); ++cell) names.push_back(column.name_of(cell));
  names.insert(names.end(), feature_names.begin() + std::ssize(cells), feature_names.end());
  std::unique_ptr<GeneralisedLinearModel> base;
  if (classes.empty()) {
    base = std::make_unique<LinearModel>(std::move(names), start);
  } else if (classes.size() == 2) {
    base = std::make_unique<LogisticModel>(std::move(names), classes);
  } else {
    base = std::make_unique<SoftmaxModel>(std::move(names), classes);
  }
  return std::make_unique<AdditiveModel>(std::move(base), std::move(cells), feature_names.size());
}

}  // namespace equinoise
