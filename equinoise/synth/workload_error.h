// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/synth/coded_table.h"

namespace equinoise {

/// A table and, where its records have some, their weights, (num_records) above 0: each record that
/// a row stands for has that of the row.
struct WeighedTable {
  WeighedTable(const CodedTable& records, std::span<const double> by = {},
               std::span<const int> missing = {})
      : table(records), weights(by), gaps(missing) {}

  const CodedTable& table;
  std::span<const double> weights;
  /// (columns) The code of missing cells, whose records are in no marginal of the column; -1, or
  /// empty: none.
  std::span<const int> gaps;
};

/// Half the L1 distance between the normalised counts of `real` and of `synthetic`, for each of
/// `sets`. Of rows without records it is 1, to real ones without records it is NaN, and so where
/// none has all of these cells; `gaps` are those of `real`. NOT PRIVATE.
///
/// Counts are those of records by their weights, where one of the tables has some. Memory: tables
/// of the first are kept for as many sets at once as have 2^26 cells together; with weights two
/// tables of 128-bit sums for each thread. Sums are exact, so that the same records have the same
/// distances in whatever order and however counted. Errors: kUsage if the tables have attributes of
/// different sizes, or as count_marginals.
std::vector<double> marginal_distances(const WeighedTable& real, const WeighedTable& synthetic,
                                       std::span<const std::vector<int>> sets, int threads);

/// The mean of those distances that are not NaN; NaN of none.
double workload_error(std::span<const double> distances);

}  // namespace equinoise
