// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise::testing {

inline ColumnSchema numeric_column(std::string name, double lower, double upper,
                                   bool whole = false) {
  ColumnSchema column;
  column.name = std::move(name);
  column.type = ColumnType::kNumeric;
  column.lower = lower;
  column.upper = upper;
  column.whole = whole;
  return column;
}

inline ColumnSchema categorical_column(std::string name, std::vector<std::string> values) {
  ColumnSchema column;
  column.name = std::move(name);
  column.values = std::move(values);
  return column;
}

inline Schema schema_of(std::vector<ColumnSchema> columns) {
  Schema schema;
  schema.columns = std::move(columns);
  return schema;
}

}  // namespace equinoise::testing
