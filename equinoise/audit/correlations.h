// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/data/dataset.h"

namespace equinoise {

/// Numeric columns of a table.
struct CorrelatedColumns {
  std::vector<const NumericColumn*> columns;
  std::span<const uint32_t> counts;   ///< (rows) the number of records of each; 0: none
  std::span<const double> weights;    ///< (rows) of each record, or empty: 1 each
  std::span<const GroupId> group_of;  ///< (rows) below num_groups for rows that count; or empty
};

/// Correlations of the pairs of columns (0, 1), (0, 2), ..., (1, 2), ..., each over the records
/// that have both numbers.
struct PairCorrelations {
  std::vector<double> values;        ///< (pairs) NaN for fewer than two records, or one value
  std::vector<int64_t> num_records;  ///< (pairs)
};

/// (num_groups + 1) For each group, and last overall, Pearson's correlations by weight. NOT PRIVATE
/// if records are people. They are equal for any `threads`, order and way of counting records: sums
/// are of whole multiples of a unit (base/fixed_point.h).
std::vector<PairCorrelations> pair_correlations(const CorrelatedColumns& table, size_t num_groups,
                                                int threads);

/// The differences between two sets of correlations, over the pairs where both are defined. NaN
/// without any.
struct CorrelationError {
  double mean = std::numeric_limits<double>::quiet_NaN();  ///< absolute difference
  double largest = std::numeric_limits<double>::quiet_NaN();
  size_t worst_pair = 0;     ///< the pair with the largest difference
  size_t num_pairs = 0;      ///< that are compared
  size_t num_undefined = 0;  ///< defined in the first only: constant in the second
};
CorrelationError correlation_error(std::span<const double> truth, std::span<const double> told);

}  // namespace equinoise
