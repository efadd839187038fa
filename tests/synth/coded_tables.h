// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "equinoise/synth/coded_table.h"

namespace equinoise::testing {

/// Rows of codes, [[1, 0], ...].
inline CodedTable coded_table(const std::vector<size_t>& sizes, const nlohmann::json& rows) {
  CodedTable table(sizes);
  for (const auto& row : rows) {
    for (size_t i = 0; i < sizes.size(); ++i) table.columns[i].append(row[i].get<uint32_t>());
    ++table.num_records;
  }
  return table;
}

/// Uniform codes of a fixed seed.
inline CodedTable random_table(const std::vector<size_t>& sizes, size_t num_records,
                               uint32_t seed) {
  std::mt19937 random(seed);
  CodedTable table(sizes);
  for (size_t record = 0; record < num_records; ++record) {
    for (CodedColumn& column : table.columns)
      column.append(static_cast<uint32_t>(random() % column.num_values));
  }
  table.num_records = num_records;
  return table;
}

}  // namespace equinoise::testing
