// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "equinoise/data/formats/byte_stream.h"
#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

/// The rows of a JSON file: one array of objects, or objects one after another (one per line or
/// not), recognised by the first character. The keys of the first row are the header. Cells hold
/// texts unchanged, fractions as they are written, integers in decimal digits, true and false by
/// their names; null and an absent key are nulls.
///
/// One row is in memory at a time. Errors (kInput, `data.table`) name row and line:
/// - not JSON (RFC 8259), which includes text that is not UTF-8, NaN and Infinity;
/// - a number beyond 1e4932;
/// - a row that is not an object, has no keys, has a key twice or one that the first row lacks,
///   holds an object or an array, or is longer than 2,000,000 bytes;
/// - no rows; an array that is not closed or has text after it;
/// - those of ByteStream.
class JsonReader : public RecordReader {
 public:
  /// Reads the first row for the header.
  explicit JsonReader(ByteStream bytes);
  ~JsonReader() override;
  JsonReader(const JsonReader&) = delete;
  JsonReader& operator=(const JsonReader&) = delete;

  bool next() override;

 protected:
  std::string place() const override;

 private:
  class Source;
  class Row;

  bool find_row();  ///< moves to the start of the next row; false at the end
  void parse_row();
  std::string at() const;

  std::unique_ptr<Source> source_;
  std::unique_ptr<Row> record_;
  bool is_array_ = false;
  bool is_first_pending_ = false;  ///< the constructor read a row that next() has not returned
  bool is_done_ = false;
  int64_t first_line_ = 0;  ///< of the last record
};

}  // namespace equinoise
