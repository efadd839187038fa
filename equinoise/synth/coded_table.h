// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace equinoise {

/// One attribute of a coded table: (num_records) codes below num_values, of one byte each if they
/// fit, otherwise of two; the other list is empty.
struct CodedColumn {
  size_t num_values = 1;
  std::vector<uint8_t> narrow;
  std::vector<uint16_t> wide;

  /// Errors: kUsage for no values or more than 65,536.
  explicit CodedColumn(size_t values);

  bool is_narrow() const { return num_values <= 256; }
  uint32_t code(size_t record) const { return is_narrow() ? narrow[record] : wide[record]; }

  /// Pre: code < num_values.
  void append(uint32_t code) {
    if (is_narrow()) {
      narrow.push_back(static_cast<uint8_t>(code));
    } else {
      wide.push_back(static_cast<uint16_t>(code));
    }
  }
};

/// Records as codes, column by column. Sensitive: only ever an argument, never part of a message.
/// The null record of `zero_out` has no place here, so the number of records is private.
struct CodedTable {
  size_t num_records = 0;  ///< rows, each of which may represent several equal records
  std::vector<CodedColumn> columns;
  /// (num_records) The number of records of each row, at least 1, together at most kMaxRecords;
  /// empty: 1.
  std::vector<uint32_t> counts = {};

  /// An empty table of attributes with `sizes` values each. Errors: kUsage, see CodedColumn.
  explicit CodedTable(const std::vector<size_t>& sizes);

  std::vector<size_t> sizes() const;

  uint32_t count_of(size_t row) const { return counts.empty() ? 1 : counts[row]; }

  /// The number of records; a row may represent several.
  size_t total_records() const;
};

}  // namespace equinoise
