// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "equinoise/audit/yardsticks.h"
#include "equinoise/base/group_id.h"
#include "equinoise/synth/coded_table.h"
#include "equinoise/synth/workload_error.h"

namespace equinoise {

/// How many of the marginals with the largest errors are kept.
inline constexpr size_t kMaxLargestMarginals = 20;

/// How far synthetic rows are from the real ones in one marginal: the total variation distance of
/// the normalised counts, 0 to 1. NaN: of no real records. NOT PRIVATE.
struct MarginalError {
  std::vector<std::string> columns;
  ComparedFigure error;
};

/// The mean over all marginals of so many columns.
struct DegreeError {
  int64_t degree = 1;
  int64_t num_marginals = 0;
  ComparedFigure error;
};

/// How far synthetic rows are from the real ones in many marginals. NOT PRIVATE.
struct MarginalErrors {
  std::vector<DegreeError> degrees;    ///< from 1 to the number of columns of the sets
  std::vector<MarginalError> columns;  ///< (columns) the marginal of each column alone
  /// Of the sets, those with the largest errors, largest first, at most kMaxLargestMarginals. None
  /// where there are no real records.
  std::vector<MarginalError> largest;

  /// The mean over all sets.
  const DegreeError& workload() const { return degrees.back(); }
};

/// Compares the marginals of `sets`, all of the same number of columns, and all of fewer columns,
/// of tables whose columns have these names, of records by their weights where a table has some. A
/// row that stands for many records is taken as these.
///
/// The yardstick `bootstrap` is the same error of a bootstrap of the real records, the mean of
/// kNumBootstraps: as many of them, drawn with replacement, each with its weight. It is what chance
/// alone makes of so many records, without privacy. `second_half` is the error of one random half
/// of the real records next to the other: of half as many records, each with its own chance, so
/// mostly about twice a bootstrap; NaN of fewer than two records. The draws follow from a fixed
/// seed, so results depend on neither the call nor `threads`. `real_units`: whose the real records
/// are, as of yardsticks. Errors: as marginal_distances.
MarginalErrors marginal_errors(const WeighedTable& real, const WeighedTable& synthetic,
                               std::span<const std::vector<int>> sets,
                               const std::vector<std::string>& names, int threads,
                               std::span<const uint32_t> real_units = {});

/// (groups) The same within each group. Errors of a group that has no synthetic rows are 1.
/// group_of: (rows), below num_groups.
std::vector<MarginalErrors> group_marginal_errors(
    const WeighedTable& real, std::span<const GroupId> real_groups, const WeighedTable& synthetic,
    std::span<const GroupId> synthetic_groups, size_t num_groups,
    std::span<const std::vector<int>> sets, const std::vector<std::string>& names, int threads,
    std::span<const uint32_t> real_units = {});

}  // namespace equinoise
