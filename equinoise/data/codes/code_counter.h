// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/codes/column_coding.h"

namespace equinoise {

/// Different rows of codes, and the number of records with each.
struct CountedCodes {
  size_t num_columns = 0;
  std::vector<int32_t> codes;   ///< (num_rows, num_columns)
  std::vector<int64_t> counts;  ///< (num_rows)

  size_t num_rows() const { return counts.size(); }
  std::span<const int32_t> row(size_t i) const {
    return std::span(codes).subspan(i * num_columns, num_columns);
  }

  /// Sorts the rows by their codes.
  void sort();
};

/// Errors: kRuntime if so many different rows take more than half of the memory.
void check_room(size_t num_rows, size_t num_columns);

/// A counter of equal rows of codes. Its memory grows with the number of different rows, or of
/// possible rows if these are few. Sensitive.
class CodeCounter {
 public:
  explicit CodeCounter(const std::vector<ColumnCoding>& codings);

  /// Counts only some columns of the rows, given by their places.
  CodeCounter(const std::vector<ColumnCoding>& codings, std::span<const size_t> columns);

  /// The approximate memory of a different row of `num_columns` columns while it is counted and
  /// read.
  static int64_t bytes_of_row(size_t num_columns);

  /// `codes`: (codings). Errors: kRuntime for more different rows than half of the memory holds.
  void add(std::span<const int32_t> codes, int64_t count = 1);

  /// The number of different rows that are kept; 0 if each possible row has a count.
  size_t num_kept() const { return rows_.num_rows(); }

  /// Returns the counts since the last call.
  CountedCodes take();

 private:
  /// The slot for the number of the row. `codes`: (columns).
  uint32_t& slot_of(std::span<const int32_t> codes);
  void grow();
  void add_pending();

  struct Pending {
    size_t place = 0;
    int64_t count = 0;
  };

  std::vector<size_t> columns_;
  std::vector<size_t> sizes_;        ///< (columns) number of codes
  std::vector<int64_t> counts_;      ///< of all possible rows; empty if these are many
  std::array<Pending, 32> pending_;  ///< while their counts are fetched from memory
  size_t num_pending_ = 0;

  // Used if possible rows are many.
  std::vector<int32_t> codes_;  ///< (columns) of the last row
  CountedCodes rows_;
  std::vector<uint32_t> slots_;  ///< by hash; 0: free, else the number of a row, from 1
};

}  // namespace equinoise
