// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// One numeric column: (num_records), every value within the schema's bounds, never NaN. A dropped
/// cell holds the lower bound, as does a missing one that is a value of its own.
struct NumericColumn {
  std::string name;
  std::vector<double> values;
  std::vector<uint8_t> missing = {};  ///< 1: missing; empty unless the schema makes that a value
  /// (num_records) 1: a missing or malformed cell for which a rule of the schema drops the record;
  /// empty if there is none.
  std::vector<uint8_t> dropped = {};
};

/// One categorical column: (num_records) codes into `categories`. A dropped cell holds code 0.
struct CategoricalColumn {
  std::string name;
  std::vector<std::string> categories;
  std::vector<uint16_t> codes;
  std::vector<uint8_t> dropped = {};  ///< as in NumericColumn; also for unknown categories
};

/// The number of cells from which on those outside a schema indicate a misfit of the schema, even
/// if no more are expected: a single record to predict for may be unusual.
inline constexpr int64_t kTellingCells = 20;

/// The effects of the schema's rules on one column, in records. Not private: for the confidential
/// report only.
struct ColumnIngestCounts {
  std::string name;
  int64_t missing = 0;
  int64_t malformed = 0;  ///< cells of a numeric column that hold no number
  static constexpr std::string_view kSomeRow = "some row";  ///< the place in a table without places
  std::string first_malformed = {};   ///< the place of the first one: "row 7 (line 9)", kSomeRow
  std::string_view value = "number";  ///< the kind of a numeric column's cells: or "date", "time"
  /// Malformed cells that are a number or a time of another form.
  struct OtherForm {
    std::string problem;  ///< the problem and a remedy; never the cell's content
    std::string first;    ///< the place of the first one
    int64_t count = 0;
  };
  std::vector<OtherForm> other_forms = {};  ///< in the order of their first cells
  int64_t unknown = 0;                      ///< cells with a category that the schema does not list
  bool has_other = false;                   ///< the schema has the category "other" for these
  int64_t clamped = 0;                      ///< numbers outside the bounds, infinities included
  int64_t rounded = 0;  ///< whole numbers that double precision does not hold, e.g. 2^53 + 1
  int64_t cut = 0;      ///< times that are finer than their column's format
};

/// A table in memory, column by column. Sensitive: only ever an argument, never part of a message.
///
/// For counted rows, which are kept only on request (CountedRows), `num_records` is the number of
/// rows. Each row represents one or more equal records; counts and num_dropped are numbers of
/// records.
struct Dataset {
  int64_t num_records = 0;
  std::vector<NumericColumn> numeric;
  std::vector<CategoricalColumn> categorical;
  /// (num_records, channels, height, width) for a table of images, otherwise empty. A dropped
  /// record has zeros.
  std::vector<uint8_t> pixels;
  /// (num_records) files of a folder of images, otherwise empty.
  std::vector<std::string> image_names;
  /// (num_records) 0 for a record that a rule of the schema dropped. It keeps its place, so that
  /// the number of records stays public, and contributes nothing: it is the null record of the
  /// relation `zero_out`.
  std::vector<uint8_t> contributes;
  /// (num_units + 1) if the schema names a column of units: the rows of unit u are those from
  /// unit_begin[u] to before unit_begin[u + 1] (data/units.h). Empty: each row is a unit.
  std::vector<uint32_t> unit_begin = {};
  /// (num_units) with `unit_begin`: the number of each unit's rows before those beyond the limit
  /// were left out; not private.
  std::vector<uint32_t> num_rows_read = {};
  /// (num_records) of counted rows: the number of records that each represents, at least 1. Their
  /// sum is at most kMaxRecords. Empty: 1 each.
  std::vector<uint32_t> row_counts = {};
  /// The number of units of counted rows, if these are rows of units whose owners are not known.
  std::optional<int64_t> num_counted_units = {};
  std::vector<ColumnIngestCounts> counts;  ///< for all cells that were read
  int64_t num_dropped = 0;                 ///< not private
  int64_t num_beyond = 0;        ///< rows left out beyond the limit of their unit; not private
  int64_t num_without_unit = 0;  ///< rows left out since they have no unit; not private

  int64_t count_of(size_t row) const { return row_counts.empty() ? 1 : row_counts[row]; }

  /// The number of records. A counted row may represent several.
  int64_t total_records() const;

  /// The number of records in the table, including those that were left out; not private if there
  /// are units.
  int64_t num_read() const { return total_records() + num_beyond + num_without_unit; }

  /// The number of units, which are records unless rows of units were read.
  int64_t num_units() const {
    if (num_counted_units) return *num_counted_units;
    return unit_begin.empty() ? total_records() : static_cast<int64_t>(unit_begin.size()) - 1;
  }

  /// The column of that name, or nullptr.
  const NumericColumn* find_numeric(std::string_view name) const;
  const CategoricalColumn* find_categorical(std::string_view name) const;
};

}  // namespace equinoise
