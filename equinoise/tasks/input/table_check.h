// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/tasks/input/table_files.h"

namespace equinoise {

/// How many rows units have, where the schema has a column of these. NOT PRIVATE.
struct RowsOfUnits {
  int64_t num_units = 0;
  int64_t num_rows = 0;  ///< that are somebody's
  /// Shares of the units, and how many rows each of them has at most.
  std::vector<std::pair<double, int64_t>> quantiles = {};
  /// Values of max_records_per_unit, and how many rows then count.
  std::vector<std::pair<int64_t, int64_t>> kept = {};
};

/// How a table and its schema agree. NOT PRIVATE: exact facts of the records, for their owner.
struct TableCheck {
  std::vector<std::string> failures;  ///< why the table does not fit, a sentence each
  std::vector<std::string> notes;     ///< what the schema's rules do to cells and records
  std::optional<RowsOfUnits> rows_of_units = {};
};

/// Compares a table with its schema and finds everything at once. It does not fit if it has another
/// number of rows, or of units, than the schema says; if a cell would end every run (`malformed` is
/// kStop); if a cell is missing although `missing` is kNone; if a declared size of a group is not
/// that of the table (see wrong_sizes); if most cells of a column are not what the schema says; or
/// if no record contributes (see misfits). `progress` is told nothing, but can interrupt. Errors:
/// those of read_table and read_images that make a table unreadable, and of read_table_files if
/// interrupted.
TableCheck check_table(const TableFiles& files, const Schema& schema, TaskProgress& progress);

}  // namespace equinoise
