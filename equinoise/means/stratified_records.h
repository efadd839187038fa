// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace equinoise {

/// Records as estimators of means see them: columns of numbers, and a stratum for each record.
/// Sensitive: only ever an argument.
struct StratifiedRecords {
  size_t num_records = 0;  ///< rows, each of which may stand for several equal records
  std::vector<std::span<const double>> columns;  ///< each (num_records); NaN counts as the least
  /// (num_records) below num_strata, or num_strata: a null record, which contributes nothing.
  std::span<const uint32_t> strata;
  size_t num_strata = 1;
  /// (columns) the same as `strata`, but that also a record without a value of the column is null;
  /// empty where the column has a value of every record. No entries: all columns have.
  std::vector<std::span<const uint32_t>> strata_of_values = {};
  /// (num_records) how many records each row stands for, together at most kMaxRecords. Empty: 1.
  std::span<const uint32_t> counts = {};
  /// (num_records) what each counts for, from 0 to 1, by which what is outside counts, too; NaN
  /// counts as 0. Empty: 1 each.
  std::span<const double> weights = {};

  int64_t count_of(size_t row) const { return counts.empty() ? 1 : counts[row]; }

  /// The strata that records count in for a column.
  std::span<const uint32_t> strata_for(size_t column) const {
    return strata_of_values.empty() || strata_of_values[column].empty() ? strata
                                                                        : strata_of_values[column];
  }
};

}  // namespace equinoise
