// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/tasks/input/table_files.h"

namespace equinoise {

/// The distribution of rows per unit, if the schema has a column of units. NOT PRIVATE.
struct RowsOfUnits {
  int64_t num_units = 0;
  int64_t num_rows = 0;  ///< rows with a unit
  struct Quantile {
    double share;      ///< of the units
    int64_t num_rows;  ///< the most of each of them
  };
  std::vector<Quantile> quantiles = {};
  struct Kept {
    int64_t max_records;  ///< max_records_per_unit
    int64_t num_rows;     ///< that are then used
  };
  std::vector<Kept> kept = {};
};

/// The agreement of a table and its schema. NOT PRIVATE: exact facts about the records, for their
/// owner.
struct TableCheck {
  std::vector<std::string> failures;  ///< reasons why the table does not fit, a sentence each
  std::vector<std::string> notes;     ///< effects of the schema's rules on cells and records
  std::optional<RowsOfUnits> rows_of_units = {};

  /// Failures and notes.
  std::vector<std::string> remarks() const {
    std::vector<std::string> all = failures;
    append(all, notes);
    return all;
  }
};

/// Compares a table with its schema and finds all problems at once. The table does not fit if
/// - its number of rows, or of units, is not that of the schema;
/// - a cell would end every run (`malformed` is kStop);
/// - a cell is missing although `missing` is kNone;
/// - a declared size of a group is not that of the table (see wrong_sizes);
/// - most cells of a column do not fit the schema, or no record contributes (see misfits).
/// `progress` receives no messages, but can interrupt. Errors: those of read_table and read_images
/// that make a table unreadable, and of read_table_files if interrupted.
TableCheck check_table(const TableFiles& files, const Schema& schema, TaskProgress& progress);

}  // namespace equinoise
