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
  std::vector<uint8_t> missing =
      {};  ///< 1: missing; where the schema makes that a value, else empty
  /// (num_records) 1: a missing or malformed cell for which a rule of the schema drops the record;
  /// empty where there is none.
  std::vector<uint8_t> dropped = {};
};

/// One categorical column: (num_records) codes into `categories`. A dropped cell holds code 0.
struct CategoricalColumn {
  std::string name;
  std::vector<std::string> categories;
  std::vector<uint16_t> codes;
  std::vector<uint8_t> dropped = {};  ///< as of NumericColumn; unknown categories, too
};

/// What the schema's rules did to one column, in records. Not private: goes to the fenced report
/// only.
struct ColumnIngestCounts {
  std::string name;
  int64_t missing = 0;
  int64_t malformed = 0;  ///< cells of a numeric column that hold no number
  static constexpr std::string_view kSomeRow = "some row";  ///< of a table without places
  std::string first_malformed = {};   ///< where the first one stands: "row 7 (line 9)", kSomeRow
  std::string_view value = "number";  ///< what cells of a numeric column hold: or "date", "time"
  /// Malformed cells that are a number or a time of another form.
  struct OtherForm {
    std::string problem;  ///< why it is none of its column's, what to write; never what it holds
    std::string first;    ///< where the first one stands
    int64_t count = 0;
  };
  std::vector<OtherForm> other_forms = {};  ///< in the order of the first ones
  int64_t unknown = 0;                      ///< categories that the schema does not list
  bool has_other = false;                   ///< for which it has the category "other"
  int64_t clamped = 0;                      ///< numbers outside the bounds, infinities included
  int64_t rounded = 0;  ///< whole numbers that double precision does not hold, e.g. 2^53 + 1
  int64_t cut = 0;      ///< times that are finer than their column's format
};

/// A table in memory, column by column. Sensitive: only ever an argument, never part of a message.
///
/// Of counted rows, which only those hold who ask for them (CountedRows), `num_records` is the
/// number of rows, each of which stands for equal records; counts and num_dropped are of records.
struct Dataset {
  int64_t num_records = 0;
  std::vector<NumericColumn> numeric;
  std::vector<CategoricalColumn> categorical;
  /// (num_records, channels, height, width) of a table of images, otherwise empty. A dropped record
  /// has zeros.
  std::vector<uint8_t> pixels;
  /// (num_records) files of a folder of images, otherwise empty.
  std::vector<std::string> image_names;
  /// (num_records) 0 for a record that a rule of the schema dropped. It keeps its place, so that
  /// the number of records stays public, and contributes nothing: it is the null record of the
  /// relation `zero_out`.
  std::vector<uint8_t> contributes;
  /// (num_units + 1) where the schema names a column of units: the rows of unit u are those from
  /// unit_begin[u] to before unit_begin[u + 1] (data/units.h). Empty: each row is a unit.
  std::vector<uint32_t> unit_begin = {};
  /// (num_units) where there is `unit_begin`: rows of each before those beyond; not private.
  std::vector<uint32_t> num_rows_read = {};
  /// (num_records) of counted rows: how many records each stands for, at least 1. Their sum is at
  /// most kMaxRecords. Empty: 1 each.
  std::vector<uint32_t> row_counts = {};
  /// Of counted rows of units, which do not say whose they are: how many units these are.
  std::optional<int64_t> num_counted_units = {};
  std::vector<ColumnIngestCounts> counts;  ///< of all cells that were read
  int64_t num_dropped = 0;                 ///< not private
  int64_t num_beyond = 0;  ///< rows that were left out as more than units may have; not private
  int64_t num_without_unit = 0;  ///< rows that were left out as nobody's; not private

  int64_t count_of(size_t row) const { return row_counts.empty() ? 1 : row_counts[row]; }

  /// Records, of which a counted row may stand for several.
  int64_t total_records() const;

  /// Records of the table, those that were left out among them; not private where there are units.
  int64_t num_read() const { return total_records() + num_beyond + num_without_unit; }

  /// Records, or units where these are not records.
  int64_t num_units() const {
    if (num_counted_units) return *num_counted_units;
    return unit_begin.empty() ? total_records() : static_cast<int64_t>(unit_begin.size()) - 1;
  }

  /// The column of that name, or nullptr.
  const NumericColumn* find_numeric(std::string_view name) const;
  const CategoricalColumn* find_categorical(std::string_view name) const;
};

}  // namespace equinoise
