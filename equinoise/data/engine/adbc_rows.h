// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/engine/adbc_interface.h"
#include "equinoise/data/formats/arrow_values.h"

namespace equinoise {

/// The rows of what a statement gave: whole numbers of 64 bits without nulls, whatever integers or
/// decimals without digits behind the point the driver makes of them. One chunk of them is held at
/// a time.
///
/// Errors: kRuntime, `data.adbc`, for columns of another type, a null, a number beyond 64 bits, and
/// a stream that breaks or contradicts itself.
class AdbcRows {
 public:
  /// Takes the stream over. `name`: for messages; it, like the driver, outlives this object.
  AdbcRows(const std::string& name, const AdbcDriver& driver, ArrowArrayStream* stream);

  /// The next row, valid until the next call; empty after the last one.
  std::span<const int64_t> next();

  /// Reads what is left and drops it, until the end or an error.
  void skip_rest();

  /// Whether the last row was given.
  bool is_at_end() const { return source_.is_released(); }

 private:
  struct Column {
    int num_bytes = 0;
    bool is_unsigned = false;
    // Of the chunk that is held.
    const void* validity = nullptr;
    const void* values = nullptr;
    int64_t first = 0;
  };

  static Column column_of(const ArrowSchema* schema);
  bool fetch();
  void load(Column& column, const ArrowArray* array) const;
  int64_t number_at(const Column& column, int64_t row) const;
  [[noreturn]] void fail(std::string_view problem) const;
  [[noreturn]] void fail_to_read();

  const std::string& name_;
  const AdbcDriver& driver_;
  ArrowOwned<ArrowArrayStream> source_;
  ArrowOwned<ArrowArray> chunk_;
  std::vector<Column> columns_;
  std::vector<int64_t> row_;
  int64_t num_rows_ = 0;  ///< of the chunk
  int64_t next_row_ = 0;
};

}  // namespace equinoise
