// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/additive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/models/generalised_linear.h"

namespace equinoise {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// NaN is in no cell.
bool has_cells(const EncodedTable& table, int64_t record) {
  const std::span<const float> dense = table.dense_row(record);
  return std::all_of(dense.begin(), dense.end(), [](float value) { return std::isfinite(value); });
}

}  // namespace

size_t AdditivePair::num_parts(size_t side) const {
  return size_t{1} + *std::max_element(parts[side].begin(), parts[side].end());
}

AdditiveModel::AdditiveModel(std::vector<std::string> feature_names,
                             std::vector<std::string> classes, std::vector<NumberCells> cells,
                             double start)
    : feature_names_(std::move(feature_names)),
      classes_(std::move(classes)),
      cells_(std::move(cells)),
      start_(start) {
  base_ = linear_model({}, {});
}

std::unique_ptr<GeneralisedLinearModel> AdditiveModel::linear_model(
    std::span<const AdditivePair> pairs, std::span<const uint32_t> blocks) const {
  std::vector<std::string> names;
  for (const NumberCells& column : cells_)
    for (size_t cell = 0; cell < column.size(); ++cell) names.push_back(column.name_of(cell));
  names.insert(names.end(), feature_names_.begin() + std::ssize(cells_), feature_names_.end());
  for (const AdditivePair& pair : pairs) {
    const std::vector<std::string> first = part_names(pair, 0, blocks);
    const std::vector<std::string> second = part_names(pair, 1, blocks);
    for (const std::string& a : first)
      for (const std::string& b : second) names.push_back(a + ", " + b);
  }
  if (classes_.empty()) return std::make_unique<LinearModel>(std::move(names), start_);
  if (classes_.size() == 2) return std::make_unique<LogisticModel>(std::move(names), classes_);
  return std::make_unique<SoftmaxModel>(std::move(names), classes_);
}

std::vector<std::string> AdditiveModel::part_names(const AdditivePair& pair, size_t side,
                                                   std::span<const uint32_t> blocks) const {
  const std::vector<uint32_t>& parts = pair.parts[side];
  const size_t column = pair.columns[side];
  const bool is_number = column < cells_.size();
  const size_t block = column - cells_.size();
  const size_t begin = is_number ? 0 : blocks[block];
  const size_t end = is_number                   ? cells_[column].size()
                     : block + 1 < blocks.size() ? blocks[block + 1]
                                                 : feature_names_.size();
  if (parts.size() != end - begin || pair.num_parts(side) > parts.size())
    throw Error(ErrorKind::kRuntime, "models.additive", "a pair does not fit the columns");
  std::vector<std::vector<size_t>> members(pair.num_parts(side));
  for (size_t i = 0; i < parts.size(); ++i) members[parts[i]].push_back(i);
  std::vector<std::string> names;
  for (const std::vector<size_t>& of_part : members) {
    if (of_part.empty())
      throw Error(ErrorKind::kRuntime, "models.additive", "a part of a pair is empty");
    if (is_number) {
      names.push_back(cells_[column].name_of(of_part.front(), of_part.back()));
    } else {
      const std::string& name = feature_names_[begin + of_part.front()];
      names.push_back(
          of_part.size() == 1 ? name : fmt::format("{} or {} others", name, of_part.size() - 1));
    }
  }
  return names;
}

std::unique_ptr<AdditiveModel> AdditiveModel::with_pairs(std::vector<AdditivePair> pairs,
                                                         std::span<const uint32_t> blocks) const {
  const size_t num_columns = cells_.size() + blocks.size();
  for (const AdditivePair& pair : pairs) {
    if (pair.columns[0] >= num_columns || pair.columns[1] >= num_columns ||
        pair.columns[0] == pair.columns[1])
      throw Error(ErrorKind::kRuntime, "models.additive", "a pair names no two columns");
  }
  auto made = std::make_unique<AdditiveModel>(feature_names_, classes_, cells_, start_);
  made->base_ = linear_model(pairs, blocks);
  made->pairs_ = std::move(pairs);
  return made;
}

EncodedTable AdditiveModel::in_cells(const TableRows& rows) const {
  const EncodedTable& table = rows.table;
  EncodedTable made;
  made.num_records = static_cast<int64_t>(rows.size());
  const size_t num_columns = table.num_dense + table.num_active;
  made.num_active = static_cast<uint32_t>(num_columns + pairs_.size());
  made.num_features = static_cast<uint32_t>(base_->num_features());
  uint32_t offset = 0;
  for (const NumberCells& column : cells_) {
    made.blocks.push_back(offset);
    offset += static_cast<uint32_t>(column.size());
  }
  for (const uint32_t block : table.blocks) made.blocks.push_back(block - table.num_dense + offset);
  uint32_t of_pair = offset + table.num_features - table.num_dense;
  std::vector<uint32_t> widths;  // of the second column's parts
  for (const AdditivePair& pair : pairs_) {
    made.blocks.push_back(of_pair);
    of_pair += static_cast<uint32_t>(pair.num_cells());
    widths.push_back(static_cast<uint32_t>(pair.num_parts(1)));
  }
  const bool shares_rows = !table.rows.empty();
  if (!shares_rows) made.active.reserve(rows.size() * made.num_active);
  uint32_t num_rows = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t record = rows.records[i];
    if (!shares_rows || i == 0 || table.rows[record] != table.rows[rows.records[i - 1]]) {
      const std::span<const float> dense = table.dense_row(record);
      for (size_t j = 0; j < dense.size(); ++j)
        made.active.push_back(made.blocks[j] + static_cast<uint32_t>(cells_[j].cell_of(dense[j])));
      for (const uint32_t feature : table.active_row(record))
        made.active.push_back(feature - table.num_dense + offset);
      const size_t row = made.active.size() - num_columns;
      for (size_t p = 0; p < pairs_.size(); ++p) {
        std::array<uint32_t, 2> parts = {};
        for (size_t side = 0; side < 2; ++side) {
          const size_t column = pairs_[p].columns[side];
          parts[side] = pairs_[p].parts[side][made.active[row + column] - made.blocks[column]];
        }
        made.active.push_back(made.blocks[num_columns + p] + parts[0] * widths[p] + parts[1]);
      }
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
  EncodedTable made =
      in_cells({table, numbers_below<uint32_t>(static_cast<size_t>(table.num_records))});
  made.row_counts = table.row_counts;
  return made;
}

void AdditiveModel::score(const TableRows& rows, std::span<const double> parameters,
                          PerSample& out) const {
  base_->score(cell_rows(rows).rows(), parameters, out);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (has_cells(rows.table, rows.records[i])) continue;
    std::fill_n(out.output_gradient.begin() + static_cast<std::ptrdiff_t>(i * num_outputs()),
                num_outputs(), kNaN);
    out.squared_norm[i] = kNaN;
  }
}

void AdditiveModel::losses(const TableRows& rows, const PerSample& scored,
                           std::span<double> losses) const {
  base_->losses(rows, scored, losses);
}

void AdditiveModel::differentiate(const TableRows& rows, std::span<const double> added,
                                  PerSample& out) const {
  base_->differentiate(rows, added, out);
}

void AdditiveModel::add_counted_sum(const EncodedTable& table, const CountedRecords& counted,
                                    const PerSample& samples, std::span<const double> weights,
                                    const SumScale& scale, std::span<int64_t> units) const {
  const CellRows cells = cell_rows({table, counted.records});
  base_->add_counted_sum(cells.table, {cells.records, counted.counts}, samples, weights, scale,
                         units);
}

void AdditiveModel::add_weighted_sum(const TableRows& rows, const PerSample& samples,
                                     std::span<const double> weights, std::span<double> sum) const {
  base_->add_weighted_sum(cell_rows(rows).rows(), samples, weights, sum);
}

void AdditiveModel::sum_gradients(const TableRows& rows, const PerSample& samples, size_t place,
                                  std::span<const double> weights, GradientSum& sum) const {
  base_->sum_gradients(cell_rows(rows).rows(), samples, place, weights, sum);
}

void AdditiveModel::add_hessian_products(const TableRows& rows, std::span<const double> parameters,
                                         std::span<const double> weights,
                                         std::span<const double> directions,
                                         std::span<double> products) const {
  base_->add_hessian_products(cell_rows(rows).rows(), parameters, weights, directions, products);
}

void AdditiveModel::directional_derivatives(const TableRows& rows, const PerSample& samples,
                                            std::span<const double> direction,
                                            std::span<double> derivatives) const {
  base_->directional_derivatives(cell_rows(rows).rows(), samples, direction, derivatives);
}

void AdditiveModel::add_residual_gradient(const TableRows& rows, std::span<const double> parameters,
                                          std::span<const double> coefficients,
                                          std::span<double> sum) const {
  base_->add_residual_gradient(cell_rows(rows).rows(), parameters, coefficients, sum);
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

}  // namespace equinoise
