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
/// Each distance is the mean over marginals of the total variation distance of the normalised
/// counts (synth/workload_error.h), 1 for a group without synthetic rows, and NaN without real
/// records. The error that [McKennaMullinsSheldonMiklau2022] reports is twice that. NOT PRIVATE.
struct MarginalParity {
  double population = 0;
  std::vector<std::optional<double>> groups;  ///< (groups) of those with real records
  double parity_error = 0;  ///< the mean of the population's distance and of the groups'
  /// The parts of the printed definition; distances of shares have no divisor.
  PrintedParity printed;
  /// The largest distance of a group, NaN if none has real records.
  double largest_group = std::numeric_limits<double>::quiet_NaN();
  /// The largest difference between two groups' distances, NaN if fewer than two have one.
  double largest_difference = std::numeric_limits<double>::quiet_NaN();
};

/// A table that is owned, with the weights of its rows or none.
struct OwnedTable {
  CodedTable table;
  std::vector<double> weights = {};

  WeighedTable with_gaps(std::span<const int> gaps) const { return {table, weights, gaps}; }
};

/// (num_groups) The rows of each group, with their counts and weights; group_of: (rows), each below
/// num_groups.
std::vector<OwnedTable> split_by_group(const WeighedTable& rows, std::span<const GroupId> group_of,
                                       size_t num_groups);

/// The parity from known distances: the population's and those of groups with real records.
MarginalParity marginal_parity(double population, std::vector<std::optional<double>> groups);

/// The parity of the marginals of `sets`, with records by their weights if a table has some. The
/// columns that make the groups may be in the sets: within a group they are the same for all
/// records. Errors: as marginal_distances.
MarginalParity marginal_parity(const WeighedTable& real, std::span<const GroupId> real_groups,
                               const WeighedTable& synthetic,
                               std::span<const GroupId> synthetic_groups, size_t num_groups,
                               std::span<const std::vector<int>> sets, int threads);

}  // namespace equinoise
