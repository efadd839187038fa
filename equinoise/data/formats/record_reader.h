// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/data/formats/cell.h"

namespace equinoise {

/// Decimal numbers of more digits are not read.
inline constexpr int kMaxDecimalDigits = 38;

/// The records of a table, one after another, whatever its format.
///
/// A cell is a text, or a number or time with the text that a CSV file would hold for it: 39, 0.5,
/// true, Female. Where the format can say that there is no value (JSON null, an absent key, a null
/// of Parquet, ? of ARFF) the cell is a null.
///
/// A column whose name is that of an earlier one gets a suffix: score, score_2.
///
/// Errors (kInput, `data.table`) name file, row (data rows from 1) and where there is one the line,
/// never a value.
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  /// The names of the columns, in the order of the cells; "" for a column without one.
  const std::vector<std::string>& header() const { return header_; }

  /// The name of a column with the blanks around it, which header() leaves out.
  const std::string& written_name(size_t column) const {
    return written_.empty() ? header_[column] : written_[column];
  }

  /// The name in the file of a column whose name got a suffix, else "".
  const std::string& repeated_name(size_t column) const;

  /// The name of a column in the file, without the blanks around it.
  const std::string& label(size_t column) const {
    return repeated_name(column).empty() ? header_[column] : repeated_name(column);
  }

  /// False: nothing in the file names the columns.
  bool has_header() const { return has_header_; }

  /// Whether the names stand in a line of their own, which may be a record instead.
  virtual bool has_header_line() const { return false; }

  /// The mark before the decimals of a number: '.' or ','.
  char decimal_mark() const { return decimal_mark_; }

  /// Why the values of a column, as lists, have no text, so that its cells are nulls, and what to
  /// do: "holds ...; write it as ...". "": they have.
  virtual std::string_view column_problem(size_t /*column*/) const { return ""; }
  bool is_readable(size_t column) const { return column_problem(column).empty(); }

  /// Moves to the next record; false at the end.
  virtual bool next() = 0;

  /// (header().size()) the cells of the record, valid until the next call.
  std::span<const Cell> cells() const { return cells_; }

  /// The text of a cell of the record, valid until the next call of next(); "" for a null.
  std::string_view text(size_t column) const {
    const Cell& cell = cells_[column];
    return cell.holds_text() ? cell.held_text() : printed(column);
  }

  /// Identifies the dictionaries that the entries of cells are of (Cell::entry): while this stays
  /// the same, an entry of a column stays the same value.
  int64_t dictionary() const { return dictionary_; }

  /// Whether a text is that of a null, which is not the same as an empty text.
  static bool is_null(std::string_view cell) { return cell.data() == nullptr; }

  int64_t row() const { return row_; }  ///< of the last record, from 1; 0: none yet
  /// Place of the last record: "row 7" or, for a format with lines, "row 7 (line 9)"; "" where
  /// nobody could look it up.
  virtual std::string place() const;
  const std::string& name() const { return name_; }  ///< of the file, for messages

  /// Throws an input error about the file, or about the last record: ("column 'age' is not a
  /// number").
  [[noreturn]] void fail(std::string_view problem) const;
  [[noreturn]] void fail_here(std::string_view problem) const;

 protected:
  static constexpr std::string_view kHasNoText =
      "holds something other than text, numbers, dates or booleans; write it as one of these";
  static constexpr std::string_view kHasTooManyDigits =
      "holds decimal numbers declared with more than 38 digits; write it with at most 38, or as "
      "floating-point numbers";

  explicit RecordReader(std::string name) : name_(std::move(name)) {}

  /// Gives suffixes to repeated names of the header, when that is complete.
  void settle_names();

  std::string name_;
  std::vector<std::string> header_;
  std::vector<std::string> written_;  ///< see written_name(); empty: as in the header
  bool has_header_ = true;
  char decimal_mark_ = '.';
  std::vector<Cell> cells_;
  int64_t row_ = 0;
  int64_t dictionary_ = 0;

 private:
  std::string_view printed(size_t column) const;

  mutable std::vector<std::string> printed_;  ///< what text() prints, for each column
  std::vector<std::string> repeated_;         ///< see repeated_name(); empty: none
};

}  // namespace equinoise
