// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace equinoise {

/// The records of a table's file, one after another, whatever its format.
///
/// A cell is the text that a CSV file would hold for it: 39, 0.5, true, Female. Where the format
/// can say that there is no value (JSON null, an absent key, a null of Parquet, ? of ARFF) the cell
/// is a null.
///
/// Errors (kInput, `data.table`) name file, row (data rows from 1) and where there is one the line,
/// never a value.
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  /// The names of the columns, in the order of the cells.
  const std::vector<std::string>& header() const { return header_; }

  /// Moves to the next record; false at the end.
  virtual bool next() = 0;

  /// (header().size()) the cells of the record, valid until the next call.
  std::span<const std::string_view> cells() const { return cells_; }

  /// Whether a cell is a null, which is not the same as an empty text.
  static bool is_null(std::string_view cell) { return cell.data() == nullptr; }

  int64_t row() const { return row_; }               ///< of the last record, from 1; 0: none yet
  const std::string& name() const { return name_; }  ///< of the file, for messages

  /// Throws an input error about the file, or about the last record: ("column 'age' is not a
  /// number").
  [[noreturn]] void fail(std::string_view problem) const;
  [[noreturn]] void fail_here(std::string_view problem) const;

 protected:
  explicit RecordReader(std::string name) : name_(std::move(name)) {}

  /// "row 7" or, for a format with lines, "row 7 (line 9)".
  virtual std::string place() const;

  std::string name_;
  std::vector<std::string> header_;
  std::vector<std::string_view> cells_;
  int64_t row_ = 0;
};

/// Opens a table: Parquet, JSON (an array of objects, or one object after another), ARFF or CSV,
/// recognised by its beginning; all but Parquet may be gzip.
std::unique_ptr<RecordReader> open_table(const std::filesystem::path& path);

}  // namespace equinoise
