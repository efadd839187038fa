// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

/// The rows of a Parquet file, in their order. Texts of cells are what DuckDB prints: integers in
/// decimal digits, floating-point numbers in the shortest form that reads back as the same number
/// of their precision (whole ones as the same double), true and false, dates and times as in ISO
/// 8601. Columns of lists, structures, bytes or decimals of more than 38 digits are there, but not
/// readable.
///
/// DuckDB runs on one thread, may open this one file and nothing else, loads no extension, and
/// holds a row group, never the whole file. Of its messages none leaves this class: they quote
/// values.
///
/// Errors (kInput, `data.table`): not a Parquet file, cut short, damaged, or in a form that DuckDB
/// does not read (encrypted, say); text that is not UTF-8. kRuntime if DuckDB cannot be started.
class ParquetReader : public RecordReader {
 public:
  explicit ParquetReader(InputFile file);
  ~ParquetReader() override;
  ParquetReader(const ParquetReader&) = delete;
  ParquetReader& operator=(const ParquetReader&) = delete;

  bool next() override;
  std::string_view column_problem(size_t column) const override;

  /// Whether the file says that a column holds numbers, whole ones of 64 bits or floating-point.
  bool holds_numbers(size_t column) const;

 private:
  struct Stream;

  std::unique_ptr<Stream> stream_;
};

}  // namespace equinoise
