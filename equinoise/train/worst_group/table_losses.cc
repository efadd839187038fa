// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/worst_group/table_losses.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "equinoise/base/compensated_sum.h"
#include "equinoise/base/lists.h"
#include "equinoise/train/run_check.h"

namespace equinoise {

TableLosses::TableLosses(const EncodedTable& table, std::span<const uint32_t> records,
                         const Model& model, std::vector<double> sizes, double feature_bound)
    : model_(model), sizes_(std::move(sizes)), rows_(scaled_) {
  require_groups("train.worst_group", table);
  scaled_.num_dense = scaled_.num_features = table.num_features;
  scaled_.feature_names = table.feature_names;
  scaled_.classes = table.classes;
  // Below the limit by more than single-precision rounding.
  const double limit = std::sqrt(feature_bound * feature_bound - 1) * (1 - 1e-6);
  std::vector<double> row;
  for (size_t group = 0; group < sizes_.size(); ++group) {
    for (const uint32_t record : records) {
      if (table.contributes[record] == 0 || index_of(table.groups[record]) != group) continue;
      row.assign(table.num_features, 0.0);
      const std::span<const float> dense = table.dense_row(record);
      std::ranges::copy(dense, row.begin());
      for (const uint32_t feature : table.active_row(record)) row[feature] = 1;
      const double norm = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
      if (!std::isfinite(norm)) continue;
      const double scale = norm > limit ? limit / norm : 1;
      for (const double value : row) scaled_.dense.push_back(static_cast<float>(value * scale));
      scaled_.labels.push_back(table.labels[record]);
      scaled_.contributes.push_back(1);
      ++scaled_.num_records;
    }
    const auto end = static_cast<size_t>(scaled_.num_records);
    const size_t found = end - (group_ends_.empty() ? 0 : group_ends_.back());
    sizes_[group] = std::max(sizes_[group], static_cast<double>(found));
    group_ends_.push_back(end);
  }
  records_ = numbers_below<uint32_t>(static_cast<size_t>(scaled_.num_records));
}

TableLosses::TableLosses(const EncodedTable& table, const Model& model, size_t num_groups)
    : model_(model), sizes_(num_groups), rows_(table) {
  require_groups("train.worst_group", table);
  for (size_t group = 0; group < num_groups; ++group) {
    for (uint32_t record = 0; record < table.num_records; ++record) {
      if (table.contributes[record] == 0 || index_of(table.groups[record]) != group) continue;
      const auto is_finite = [](float value) { return std::isfinite(value); };
      if (!std::ranges::all_of(table.dense_row(record), is_finite)) continue;
      const int64_t count = table.count_of(record);
      records_.insert(records_.end(), static_cast<size_t>(count), record);
      sizes_[group] += static_cast<double>(count);
    }
    group_ends_.push_back(records_.size());
  }
}

void TableLosses::evaluate(std::span<const double> parameters, std::span<double> losses,
                           std::span<double> gradients) const {
  std::ranges::fill(losses, 0.0);
  std::ranges::fill(gradients, 0.0);
  const size_t tile_records = model_.max_tile_records();
  PerSample samples;
  std::vector<double> values;
  size_t begin = 0;
  for (size_t group = 0; group < sizes_.size(); ++group) {
    const auto gradient = gradients.subspan(group * num_parameters(), num_parameters());
    CompensatedSum sum;
    while (begin < group_ends_[group]) {
      const auto tile =
          std::span(records_).subspan(begin, std::min(tile_records, group_ends_[group] - begin));
      values.resize(tile.size());
      model_.score({rows_, tile}, parameters, samples);
      model_.losses({rows_, tile}, samples, values);
      for (const double loss : values) sum.add(loss);
      model_.differentiate({rows_, tile}, {}, samples);
      std::ranges::fill(values, 1 / sizes_[group]);
      model_.add_weighted_sum({rows_, tile}, samples, values, gradient);
      begin += tile.size();
    }
    losses[group] = sizes_[group] > 0 ? sum.value() / sizes_[group] : 0;
  }
}

void TableLosses::hessian_product(std::span<const double> parameters,
                                  std::span<const double> weights,
                                  std::span<const double> direction,
                                  std::span<double> product) const {
  std::ranges::fill(product, 0.0);
  const size_t tile_records = model_.max_tile_records();
  std::vector<double> values;
  size_t begin = 0;
  for (size_t group = 0; group < sizes_.size(); ++group) {
    while (begin < group_ends_[group]) {
      const auto tile =
          std::span(records_).subspan(begin, std::min(tile_records, group_ends_[group] - begin));
      values.assign(tile.size(), weights[group] / sizes_[group]);
      model_.add_hessian_products({rows_, tile}, parameters, values, direction, product);
      begin += tile.size();
    }
  }
}

}  // namespace equinoise
