// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// Writes a Parquet file, cell by cell and row by row. Only a part of it is in memory at a time.
class ParquetWriter {
 public:
  enum class Type { kText, kCategory, kInteger, kNumber, kTruth, kDate, kTimestamp };
  struct Column {
    std::string name;
    Type type = Type::kText;
    std::vector<std::string> categories = {};  ///< for kCategory: different, without zero bytes
  };

  /// Refuses an empty name, and names that are equal apart from case, which DuckDB takes for the
  /// same. Errors: kUsage.
  static void check_names(const std::vector<std::string>& names);

  /// Pre: check_names. Errors: kRuntime if DuckDB cannot be started, or for a category that is not
  /// UTF-8.
  explicit ParquetWriter(const std::vector<Column>& columns);
  ~ParquetWriter();
  ParquetWriter(const ParquetWriter&) = delete;
  ParquetWriter& operator=(const ParquetWriter&) = delete;

  /// The next cell of a row, of its column's type; for kDate and kTimestamp a text like 2024-03-01
  /// or 2024-03-01T10:20:30. Pre: called by write(). Errors: kRuntime for text that is not UTF-8.
  void add(std::string_view text);
  void add(int64_t number);
  void add(double number);
  void add(bool truth);
  void add_category(size_t code);  ///< of the column's categories
  void add_null();

  /// Writes the file to `sink`, in pieces. `add_row` adds each cell of a row, or returns false
  /// after the last one; an exception that it throws ends the writing. Errors: kRuntime.
  void write(const std::function<bool()>& add_row,
             const std::function<void(std::string_view)>& sink);

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace equinoise
