// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// Makes a Parquet file in memory, cell by cell, row by row.
class ParquetWriter {
 public:
  enum class Type { kText, kInteger, kNumber, kTruth, kDate, kTimestamp };
  struct Column {
    std::string name;
    Type type = Type::kText;
  };

  /// DuckDB takes names that differ in upper case only for the same, and wants one. Errors: kUsage.
  static void check_names(const std::vector<std::string>& names);

  /// Pre: check_names. Errors: kRuntime if DuckDB cannot be started.
  explicit ParquetWriter(const std::vector<Column>& columns);
  ~ParquetWriter();
  ParquetWriter(const ParquetWriter&) = delete;
  ParquetWriter& operator=(const ParquetWriter&) = delete;

  /// The next cell of the row, of its column's type; of kDate and kTimestamp a text as 2024-03-01
  /// or 2024-03-01T10:20:30. Errors: kRuntime.
  void add(std::string_view text);
  void add(int64_t number);
  void add(double number);
  void add(bool truth);
  void add_null();

  /// Pre: every column has a cell. Errors: kRuntime.
  void end_row();

  /// The file. Nothing may follow. Errors: kRuntime, also for text that is not UTF-8.
  std::string finish();

 private:
  struct Table;
  std::unique_ptr<Table> table_;
};

}  // namespace equinoise
