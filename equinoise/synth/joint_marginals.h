// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace equinoise {

/// Marginals that are counted as one table of all their columns: each is that table, summed over
/// the columns that it does not have.
struct JointMarginal {
  std::vector<int> columns;
  size_t cells = 1;
  std::vector<size_t> sets;  ///< indices of the marginals, ascending
};

/// Puts each of `sets` into one joint marginal, so that few passes over the records are made. Joint
/// marginals of several sets have few cells for `num_records`, because adding up cells costs less
/// than counting. A set by itself keeps the order of its columns. `sizes`: (columns) values of
/// each; the sets must be in order, see count_marginals. Time grows with the number of sets.
std::vector<JointMarginal> join_marginals(const std::vector<size_t>& sizes,
                                          std::span<const std::vector<int>> sets,
                                          size_t num_records);

/// Adds the counts of cells to a table in which each code of a column moves the place by its number
/// of `moves`: (columns)(codes). The last column varies fastest.
void add_cells(std::span<const uint32_t> counts, const std::vector<std::vector<uint32_t>>& moves,
               std::vector<uint32_t>& sums);

/// The marginal of `columns`, which are among those of `joint`, from its counts; both row-major.
void sum_out(const std::vector<size_t>& sizes, const std::vector<int>& joint,
             std::span<const uint32_t> joint_counts, const std::vector<int>& columns,
             std::vector<uint32_t>& counts);

}  // namespace equinoise
