// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace equinoise {

/// Records for estimators of means: columns of numbers, and a stratum for each record. Sensitive:
/// only ever an argument.
struct StratifiedRecords {
  size_t num_records = 0;  ///< rows, each of which may represent several equal records
  std::vector<std::span<const double>> columns;  ///< each (num_records); NaN counts as the least
  /// (num_records) below num_strata, or num_strata: a null record, which contributes nothing.
  std::span<const uint32_t> strata;
  size_t num_strata = 1;
  /// (columns) `strata` with records without a value of the column as null records, too; empty for
  /// a column without missing values. No entries: no column has missing values.
  std::vector<std::span<const uint32_t>> strata_of_values = {};
  /// (num_records) The number of records that each row represents, together at most kMaxRecords.
  /// Empty: 1.
  std::span<const uint32_t> counts = {};
  /// (num_records) The weight of each record. Values outside 0 to 1 count as the nearest end; NaN
  /// counts as 0. Empty: 1 each.
  std::span<const double> weights = {};

  int64_t count_of(size_t row) const { return counts.empty() ? 1 : counts[row]; }

  /// The weight of a record, of which 1 is `units`, rounded: from 0 to `units`.
  int64_t weight_of(size_t row, int64_t units) const {
    const double given = weights.empty() ? 1 : weights[row];
    const double share = given > 0 ? std::min(given, 1.0) : 0;
    return std::llrint(share * static_cast<double>(units));
  }

  /// The strata of records for a column.
  std::span<const uint32_t> strata_for(size_t column) const {
    return strata_of_values.empty() || strata_of_values[column].empty() ? strata
                                                                        : strata_of_values[column];
  }
};

}  // namespace equinoise
