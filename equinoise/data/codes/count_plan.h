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
/// an engine can have. Together they are what read_table does with cells of the texts that such
/// values have.
struct CodedValues {
  std::map<std::string, int> texts;    ///< compared as they are, then without blanks around
  std::map<std::string, int> numbers;  ///< spelled exactly; compared as numbers, after the texts
  std::map<double, int> doubles;       ///< of both, those that values of double precision are
  std::map<float, int> singles;
};

/// How an engine codes a column.
struct CountedColumn {
  std::string name;
  ColumnType type = ColumnType::kCategorical;  ///< or kNumeric
  CodedValues values;                          ///< categories and marks of missing values
  /// What a counted table holds for each code from 0 on, a bin or a category.
  std::vector<std::string> cells;
  /// What it holds for the codes below: such cells are clamped, malformed or not listed.
  std::string below;
  std::string above;
  std::string neither;

  // Of a numeric column.
  bool whole = false;
  std::optional<TimeFormat> time = {};
  std::vector<double> numbers;  ///< (bins) value_of
  /// (bins + 1) the lower bound, where each but the first bin begins, and the first number above
  /// the upper bound.
  std::vector<double> edges;
  /// The same of single precision, whose values are read by their shortest texts: 0.1f is 0.1.
  std::vector<float> single_edges;
};

/// How an engine counts the records of a table: by these codes, all of them together.
struct CountPlan {
  std::vector<CountedColumn> columns;  ///< those that are read, in the order of the schema
  std::string count_column;            ///< of the counted table
  int64_t num_records = 0;             ///< which counts must add up to; 0: not public
};

/// Follows from the schema alone. Errors: kInput for a schema with a column of units (which rows of
/// a unit count is decided row by row), and those of column_codings().
CountPlan count_plan(const Schema& schema);

}  // namespace equinoise
