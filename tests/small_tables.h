// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/data/number_cells.h"

namespace equinoise::testing {

inline std::vector<uint32_t> all_records(const EncodedTable& table) {
  std::vector<uint32_t> records(static_cast<size_t>(table.num_records));
  std::iota(records.begin(), records.end(), 0U);
  return records;
}

/// A table of dense features only, from the arrays of a vector file. Two classes.
inline EncodedTable dense_table(const nlohmann::json& x, const nlohmann::json& y,
                                uint32_t num_features) {
  EncodedTable table;
  table.num_records = static_cast<int64_t>(x.size());
  table.num_dense = table.num_features = num_features;
  for (const auto& row : x) {
    for (const auto& value : row) table.dense.push_back(value.get<float>());
  }
  for (const auto& label : y) table.labels.push_back(label.get<uint16_t>());
  table.contributes.assign(x.size(), 1);
  for (uint32_t j = 0; j < num_features; ++j)
    table.feature_names.push_back("x" + std::to_string(j));
  table.classes = {"0", "1"};
  return table;
}

/// Of the dense features of mixed_table, as if they were whole numbers up to 32, over 32.
inline std::vector<NumberCells> mixed_cells() {
  std::vector<NumberCells> cells;
  for (int j = 0; j < 3; ++j) {
    ColumnSchema column;
    column.name = "dense" + std::to_string(j);
    column.type = ColumnType::kNumeric;
    column.upper = 32;
    column.whole = true;
    cells.emplace_back(column);
  }
  return cells;
}

/// A made-up table with 3 dense features in [0, 1] and two one-hot blocks of widths 4 and 3; labels
/// depend on the features.
inline EncodedTable mixed_table(int64_t num_records, uint64_t seed) {
  EncodedTable table;
  table.num_records = num_records;
  table.num_dense = 3;
  table.num_active = 2;
  table.num_features = 10;
  table.scales.assign(3, {0, 1, 0.5, 0.5});
  table.blocks = {3, 7};
  uint64_t state = seed * 2654435761U + 1;
  const auto uniform = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  for (int64_t i = 0; i < num_records; ++i) {
    double signal = -1.2;
    for (int j = 0; j < 3; ++j) {
      const double value = uniform();
      table.dense.push_back(static_cast<float>(value));
      signal += value;
    }
    const auto first = static_cast<uint32_t>(4 * uniform());
    const auto second = static_cast<uint32_t>(3 * uniform());
    table.active.insert(table.active.end(), {3 + first, 7 + second});
    signal += first == 2 ? 1.5 : -0.2;
    table.labels.push_back(uniform() < 1 / (1 + std::exp(-3 * signal)) ? 1 : 0);
  }
  table.contributes.assign(static_cast<size_t>(num_records), 1);
  for (int j = 0; j < 3; ++j) table.feature_names.push_back("dense" + std::to_string(j));
  for (int j = 0; j < 4; ++j) table.feature_names.push_back("first=" + std::to_string(j));
  for (int j = 0; j < 3; ++j) table.feature_names.push_back("second=" + std::to_string(j));
  table.classes = {"no", "yes"};
  return table;
}

/// Made-up images of one channel with values in [0, 1], brighter in the upper half for label 1.
inline EncodedTable image_table(int64_t num_records, uint32_t side, uint64_t seed) {
  EncodedTable table;
  table.num_records = num_records;
  table.num_dense = table.num_features = side * side;
  uint64_t state = seed * 2654435761U + 1;
  for (int64_t i = 0; i < num_records; ++i) {
    table.labels.push_back(static_cast<uint16_t>(i % 2));
    for (uint32_t p = 0; p < table.num_dense; ++p) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const bool bright = (p < table.num_dense / 2) == (i % 2 == 1);
      table.dense.push_back(0x1p-24F * static_cast<float>(state >> 41) + (bright ? 0.5F : 0));
    }
  }
  table.contributes.assign(static_cast<size_t>(num_records), 1);
  for (uint32_t p = 0; p < table.num_dense; ++p)
    table.feature_names.push_back("pixel" + std::to_string(p));
  table.classes = {"no", "yes"};
  return table;
}

/// The features of a record and 1 for the intercept, as a linear model sees them.
inline std::vector<double> feature_row(const EncodedTable& table, int64_t record) {
  std::vector<double> row(table.num_features + 1);
  std::copy_n(table.dense_row(record).begin(), table.num_dense, row.begin());
  for (const uint32_t feature : table.active_row(record)) row[feature] = 1;
  row.back() = 1;
  return row;
}

/// The table without one of its records.
inline EncodedTable without_record(EncodedTable table, size_t record) {
  const auto erase = [&](auto& values, size_t width) {
    if (values.empty()) return;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(record * width);
    values.erase(first, first + static_cast<std::ptrdiff_t>(width));
  };
  --table.num_records;
  erase(table.dense, table.num_dense);
  erase(table.active, table.num_active);
  erase(table.labels, 1);
  erase(table.targets, 1);
  erase(table.contributes, 1);
  erase(table.groups, 1);
  return table;
}

}  // namespace equinoise::testing
