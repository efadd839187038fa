// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/synth/coded_table.h"

namespace equinoise {

/// A table and the weights of its records, if they have any: (num_records) above 0. Each record
/// that a row represents has the weight of the row.
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

/// The total variation distance between the normalised counts of `real` and of `synthetic`, for
/// each of `sets`. It is 1 if there are no synthetic records, and NaN if there are no real ones,
/// also within a marginal if no record has all of its cells; `gaps` are those of `real`. NOT
/// PRIVATE.
///
/// Records count by their weights, if one of the tables has some. Memory: tables of the first are
/// kept for as many sets at once as have 2^26 cells together; with weights two tables of 128-bit
/// sums for each thread. Sums are exact, so that the same records have the same distances in any
/// order and however they are counted. Errors: kUsage if the tables have attributes of different
/// sizes, or as count_marginals.
std::vector<double> marginal_distances(const WeighedTable& real, const WeighedTable& synthetic,
                                       std::span<const std::vector<int>> sets, int threads);

/// The mean of those distances that are not NaN; NaN of none.
double workload_error(std::span<const double> distances);

}  // namespace equinoise
