// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/base/counted_records.h"
#include "equinoise/base/group_id.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/parallel.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// The records that answers are about.
struct AnsweredRecords {
  const EncodedTable& table;         ///< with groups or, if these overlap, with cells
  const Model& model;                ///< with one score that is linear in the features
  std::vector<int64_t> group_sizes;  ///< public: the divisors of sums, for any table
  int threads = 1;                   ///< answers do not depend on it
  /// (cells) The groups of each cell's records; empty: groups are disjoint and cells themselves.
  std::vector<std::vector<size_t>> groups_of_cell = {};

  bool overlap() const { return !groups_of_cell.empty(); }
  size_t num_cells() const { return overlap() ? groups_of_cell.size() : group_sizes.size(); }

  /// Returns whether the record contributes: it is no null record, and its cell exists.
  bool takes_part(uint32_t record) const {
    return table.contributes[record] != 0 && index_of(table.groups[record]) < num_cells();
  }

  /// The grid of a sum over them (grid_of_sum).
  double grid(double bound, double noise_stddev) const;

  /// Returns whether a record that takes part is in the group.
  bool is_in(uint32_t record, size_t group) const {
    const size_t cell = index_of(table.groups[record]);
    if (!overlap()) return cell == group;
    const std::vector<size_t>& groups = groups_of_cell[cell];
    return contains(groups, group);
  }
};

/// Adds the results of add_tile(records of a tile, sum) for all tiles to `units`, as many tiles at
/// once as there are threads. Integers: in any order.
template <typename AddTile>
void sum_tiles(const CountedRecords& records, const AnsweredRecords& answered,
               std::span<int64_t> units, const AddTile& add_tile) {
  const size_t tile_records = answered.model.max_tile_records();
  const size_t num_tiles = (records.size() + tile_records - 1) / tile_records;
  const size_t num_parts = std::min(num_tiles, static_cast<size_t>(answered.threads));
  std::vector<std::vector<int64_t>> sums(num_parts, std::vector<int64_t>(units.size()));
  parallel_for(num_parts, answered.threads, [&](size_t part) {
    for (size_t tile = part; tile < num_tiles; tile += num_parts) {
      const size_t begin = tile * tile_records;
      add_tile(records.subspan(begin, std::min(tile_records, records.size() - begin)), sums[part]);
    }
  });
  for (const std::vector<int64_t>& sum : sums)
    for (size_t j = 0; j < units.size(); ++j) units[j] += sum[j];
}

/// (records) The losses at the parameters. NOT PRIVATE, as the following functions.
std::vector<double> losses_of(const AnsweredRecords& answered, std::span<const uint32_t> records,
                              std::span<const double> parameters);

/// Adds the gradients of `records`, each clipped to max_grad_norm, to units[parameter] on the grid.
/// Records that do not take part add nothing, nor do gradients that are not finite; any other
/// changes the sum by at most max_grad_norm and Model::sum_error.
void add_gradients(const AnsweredRecords& answered, const CountedRecords& records,
                   std::span<const double> parameters, double max_grad_norm, double grid,
                   std::span<int64_t> units);

/// Adds the gradients to units[group, parameter] of every group that the record is in, times the
/// group's scale, (groups) in (0, 1]; empty: 1.
void add_group_gradients(const AnsweredRecords& answered, const CountedRecords& records,
                         std::span<const double> parameters, double max_grad_norm, double grid,
                         std::span<const double> scales, std::span<int64_t> units);

}  // namespace equinoise
