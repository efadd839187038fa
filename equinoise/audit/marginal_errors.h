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

/// The number of marginals with the largest errors that are kept.
inline constexpr size_t kMaxLargestMarginals = 20;

/// The error of synthetic rows in one marginal: the total variation distance of the normalised
/// counts, 0 to 1. NaN without real records. NOT PRIVATE.
struct MarginalError {
  std::vector<std::string> columns;
  ComparedFigure error;
};

/// The mean over all marginals with `degree` columns.
struct DegreeError {
  int64_t degree = 1;
  int64_t num_marginals = 0;
  ComparedFigure error;
};

/// The errors of synthetic rows in many marginals. NOT PRIVATE.
struct MarginalErrors {
  std::vector<DegreeError> degrees;    ///< from 1 to the number of columns of the sets
  std::vector<MarginalError> columns;  ///< (columns) the marginal of each column alone
  /// The sets with the largest errors, largest first, at most kMaxLargestMarginals. Empty without
  /// real records.
  std::vector<MarginalError> largest;

  /// The mean over all sets.
  const DegreeError& workload() const { return degrees.back(); }
};

/// Compares the marginals of `sets`, all of the same number of columns, and all of fewer columns,
/// of tables whose columns have these names, with records by their weights if a table has some. A
/// row that represents many records counts as these.
///
/// `bootstrap` is a sampling error baseline: the same error for a bootstrap of the real records,
/// the mean of kNumBootstraps. A bootstrap has as many records, drawn with replacement, each with
/// its weight. It shows the error by chance alone with that many records, without privacy.
/// `second_half` is the error of one random half of the real records next to the other. With half
/// as many records, each with its own chance, it is mostly about twice a bootstrap; NaN for fewer
/// than two records. The draws follow from a fixed seed, so results depend on neither the call nor
/// `threads`. `real_units`: the units of the real records, as in yardsticks.h. Errors: as
/// marginal_distances.
MarginalErrors marginal_errors(const WeighedTable& real, const WeighedTable& synthetic,
                               std::span<const std::vector<int>> sets,
                               const std::vector<std::string>& names, int threads,
                               std::span<const uint32_t> real_units = {});

/// (groups) The errors within each group. Errors of a group without synthetic rows are 1. group_of:
/// (rows), below num_groups.
std::vector<MarginalErrors> group_marginal_errors(
    const WeighedTable& real, std::span<const GroupId> real_groups, const WeighedTable& synthetic,
    std::span<const GroupId> synthetic_groups, size_t num_groups,
    std::span<const std::vector<int>> sets, const std::vector<std::string>& names, int threads,
    std::span<const uint32_t> real_units = {});

}  // namespace equinoise
