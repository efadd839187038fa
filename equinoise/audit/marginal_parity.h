// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "equinoise/base/group_id.h"
#include "equinoise/means/parity.h"
#include "equinoise/synth/coded_table.h"
#include "equinoise/synth/workload_error.h"

namespace equinoise {

/// The distance of the marginals of synthetic rows from the real ones, overall and for each group.
/// Each distance is the mean over marginals of half the L1 distance of the normalised counts
/// (synth/workload_error.h), 1 for a group that has no synthetic rows. NaN: of nobody. The error
/// that [McKennaMullinsSheldonMiklau2022] reports is twice that. NOT PRIVATE.
struct MarginalParity {
  double population = 0;
  std::vector<std::optional<double>> groups;  ///< (groups) of those with real records
  double parity_error = 0;  ///< the mean of the population's distance and of the groups'
  /// The parts of the printed definition; distances of shares are divided by nothing.
  PrintedParity printed;
  /// The largest distance of a group, NaN where none has real records.
  double largest_group = std::numeric_limits<double>::quiet_NaN();
  /// Of the distances of two groups, NaN where fewer than two have.
  double largest_difference = std::numeric_limits<double>::quiet_NaN();
};

/// The rows of each group, with what they stand for; group_of: (rows), each below num_groups.
std::vector<CodedTable> split_by_group(const CodedTable& table, std::span<const GroupId> group_of,
                                       size_t num_groups);

/// (num_groups) The weights of the rows of each; none where these have none.
std::vector<std::vector<double>> split_weights(std::span<const double> weights,
                                               std::span<const GroupId> group_of,
                                               size_t num_groups);

/// From distances that are known: the population's and those of groups with real records.
MarginalParity marginal_parity(double population, std::vector<std::optional<double>> groups);

/// Of the marginals of `sets`, of records by their weights where a table has some. The columns that
/// make the groups may be in the sets: within a group they are the same for all records. Errors: as
/// marginal_distances.
MarginalParity marginal_parity(const WeighedTable& real, std::span<const GroupId> real_groups,
                               const WeighedTable& synthetic,
                               std::span<const GroupId> synthetic_groups, size_t num_groups,
                               std::span<const std::vector<int>> sets, int threads);

}  // namespace equinoise
