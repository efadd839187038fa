// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "equinoise/data/formats/arrow_interface.h"
#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

/// The rows of an Arrow C stream, whose arrays are structures of columns. Cells are those that
/// ParquetReader gives for a Parquet file of the same values: durations are whole numbers, times
/// with a zone in UTC. Columns of lists, structures, bytes or intervals, of decimals of more than
/// 38 digits or of a type that is newer than this class are there, but not readable; values of a
/// dictionary are what they stand for. A row that is null as a whole has nulls only.
///
/// Nothing is copied and no cell allocates: one chunk of the stream is held at a time. What whoever
/// made the stream says of its errors is never repeated, since it may quote values.
///
/// Errors (kInput, `data.table`): a stream that is not of rows, contradicts itself, or fails; text
/// that is not UTF-8.
class ArrowReader : public RecordReader {
 public:
  /// Takes the stream over, which is released with this reader or by an error: `*stream` is left
  /// as a released one. Messages call it `name`.
  ArrowReader(std::string name, ArrowArrayStream* stream);
  ~ArrowReader() override;
  ArrowReader(const ArrowReader&) = delete;
  ArrowReader& operator=(const ArrowReader&) = delete;

  bool next() override;
  std::string_view column_problem(size_t column) const override;

 private:
  class Column;
  struct Stream;

  std::unique_ptr<Stream> stream_;
};

}  // namespace equinoise
