// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Values of cells that have a code (column_coding.h) of their own, for each type that a column of
/// an engine can have. Together they give the codes that read_table would give the texts of such
/// values.
struct CodedValues {
  std::map<std::string, int> texts;    ///< compared unchanged, then without blanks around
  std::map<std::string, int> numbers;  ///< spelled exactly; compared as numbers, after the texts
  std::map<double, int> doubles;       ///< those of both that doubles represent
  std::map<float, int> singles;
};

/// The coding of a column by an engine.
struct CountedColumn {
  std::string name;
  ColumnType type = ColumnType::kCategorical;  ///< or kNumeric
  CodedValues values;                          ///< categories and marks of missing values
  /// The cells of a counted table for each code from 0 on, a bin or a category.
  std::vector<std::string> cells;
  /// The cells for negative codes, which are clamped, malformed or not listed.
  std::string below;
  std::string above;
  std::string neither;

  // Numeric columns only.
  bool whole = false;
  std::optional<TimeFormat> time = {};
  std::vector<double> numbers;  ///< (bins) value_of
  /// (bins + 1) the lower bound, the beginning of each further bin, and the first number above the
  /// upper bound.
  std::vector<double> edges;
  /// The same in single precision. Values are read by their shortest texts: 0.1f is 0.1.
  std::vector<float> single_edges;
};

/// The counting of a table's records by an engine: by the codes of all columns together.
struct CountPlan {
  std::vector<CountedColumn> columns;  ///< columns that are read, in the order of the schema
  std::string count_column;            ///< the name of the counted table's count column
  int64_t num_records = 0;             ///< the required sum of the counts; 0: not public
};

/// The plan, from the schema alone. Errors: kInput for a schema with a column of units, whose rule
/// decides row by row, and those of column_codings().
CountPlan count_plan(const Schema& schema);

}  // namespace equinoise
