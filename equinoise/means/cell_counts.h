// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "equinoise/means/stratified_records.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// Cells of equal width, and sums of neighbouring ones: level 1 has the widest sums, the last level
/// the cells. Each node but those of the last level has `branching` children.
struct CellTree {
  size_t num_cells = 1;
  size_t branching = 0;  ///< 0: cells alone; else num_cells is a power of it

  size_t num_levels() const;
  size_t num_nodes(size_t level) const;  ///< level: 1 to num_levels()
  size_t num_entries() const;            ///< of all levels together

  /// (num_entries) the counts of all nodes, level 1 first. cells: (num_cells).
  std::vector<int64_t> entries_of(std::span<const int64_t> cells) const;

  /// The largest change of the entries in L2 norm. One record adds at most 1 to one node of each
  /// level; a record that is replaced moves to another one, if there is one.
  double sensitivity(Relation relation) const;
};

/// A column whose values are counted in each stratum. Public facts.
struct CellColumn {
  std::string name;  ///< "": one cell of all records
  double lower = 0;  ///< of the first cell
  double upper = 1;  ///< of the last one; numbers outside count in the nearest cell
  /// Without a branching and with gaps, the last cell is that of records without a value.
  CellTree tree;
  bool has_gaps = false;  ///< records may lack a value; in a tree they are then in no cell

  bool has_cell_of_gaps() const { return has_gaps && tree.branching == 0; }
  size_t num_value_cells() const { return tree.num_cells - (has_cell_of_gaps() ? 1 : 0); }
};

/// The events of its counts, and the noise that they buy.
struct CountsPart {
  double rho = 0;
  size_t first_item = 0;     ///< in the charge of a stratum
  double noise_stddev = 0;   ///< of each entry, in records, or in largest weights
  int64_t weight_units = 0;  ///< that a weight of 1 adds to its entries; 0: records count alike

  /// The number that a record adds to an entry at most.
  double units() const { return weight_units == 0 ? 1 : static_cast<double>(weight_units); }
};

/// Events that cost at most rho: gaussian(noise_multiplier) and the sampler's error.
std::vector<Event> counts_events(const CellTree& tree, double rho);

/// The part of a release that rho pays for. by_weight: records count by their weights.
CountsPart counts_part(const CellTree& tree, double rho, Relation relation, bool by_weight);

/// (num_strata, counted) The entries of each column with noise, in units of the part.
///
/// Relation: replace_one within the stratum, or zero_out. Sensitivity: L2, CellTree::sensitivity of
/// all entries of a column together, in units: a weight is from 0 to 1, so a record by its weight
/// adds at most what it adds by number. Cost: the part's events, to the members of each stratum.
/// Source: add_gaussian_noise; [HayRastogiMiklauSuciu2010] for sums of neighbouring cells.
/// `first_column`: of the records, where the counted ones begin. `is_asked`: (num_strata) others
/// are charged nothing, and have no entries.
std::vector<std::vector<int64_t>> release_counts(
    const StratifiedRecords& records, size_t first_column, std::span<const CellColumn> counted,
    std::span<const CountsPart> parts, const std::vector<bool>& is_asked, std::span<Charge> charges,
    Relation relation, RandomSource& source, int threads);

}  // namespace equinoise
