// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/cell_counts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "equinoise/base/rounding.h"
#include "equinoise/means/estimators/noisy_sum.h"
#include "equinoise/means/pass.h"
#include "equinoise/privacy/mechanisms/gaussian_sum.h"

namespace equinoise {

size_t CellTree::num_levels() const {
  if (branching == 0) return 1;
  size_t levels = 1;
  for (size_t nodes = branching; nodes < num_cells; nodes *= branching) ++levels;
  return levels;
}

size_t CellTree::num_nodes(size_t level) const {
  size_t nodes = num_cells;
  for (size_t above = num_levels(); above > level; --above) nodes /= branching;
  return nodes;
}

size_t CellTree::num_entries() const {
  size_t entries = 0;
  for (size_t level = 1; level <= num_levels(); ++level) entries += num_nodes(level);
  return entries;
}

std::vector<int64_t> CellTree::entries_of(std::span<const int64_t> cells) const {
  std::vector<int64_t> entries;
  entries.reserve(num_entries());
  for (size_t level = 1; level <= num_levels(); ++level) {
    const size_t width = num_cells / num_nodes(level);
    for (size_t first = 0; first < num_cells; first += width) {
      int64_t sum = 0;
      for (size_t cell = first; cell < first + width; ++cell) sum += cells[cell];
      entries.push_back(sum);
    }
  }
  return entries;
}

double CellTree::sensitivity(Relation relation) const {
  // A record that is replaced stays in a cell that holds all.
  const double changes = relation == Relation::kReplaceOne && num_cells > 1 ? 2 : 1;
  const double squared = changes * static_cast<double>(num_levels());
  const double root = std::sqrt(squared);
  return root * root == squared ? root : round_up(root, 1e-12);
}

std::vector<Event> counts_events(const CellTree& tree, double rho) {
  return {Event::gaussian(noise_multiplier_of(rho)), sampler_error_event(tree.num_entries())};
}

CountsPart counts_part(const CellTree& tree, double rho, Relation relation, bool by_weight) {
  const double multiplier = noise_multiplier_of(rho);
  const double noise = multiply_up(multiplier, tree.sensitivity(relation));
  if (!by_weight) return {rho, 0, noise};
  const double units = std::floor(max_units_for_gaussian(noise));
  return {rho, 0, noise, static_cast<int64_t>(units)};
}

std::vector<std::vector<int64_t>> release_counts(
    const StratifiedRecords& records, size_t first_column, std::span<const CellColumn> counted,
    std::span<const CountsPart> parts, const std::vector<bool>& is_asked, std::span<Charge> charges,
    Relation relation, RandomSource& source, int threads) {
  std::vector<std::vector<int64_t>> released(records.num_strata * counted.size());
  if (counted.empty()) return released;
  std::vector<Query> queries;
  for (size_t i = 0; i < counted.size(); ++i) {
    const CellColumn& column = counted[i];
    queries.push_back(HistogramQuery{first_column + i, column.lower, column.upper,
                                     column.num_value_cells(), column.has_cell_of_gaps(),
                                     parts[i].weight_units});
  }
  const std::vector<Answer> exact = answer_queries(records, queries, threads);
  for (size_t i = 0; i < counted.size(); ++i) {
    const CellTree& tree = counted[i].tree;
    const double sensitivity = parts[i].weight_units == 0
                                   ? tree.sensitivity(relation)
                                   : multiply_up(tree.sensitivity(relation), parts[i].units());
    for (size_t k = 0; k < records.num_strata; ++k) {
      if (!is_asked[k]) continue;
      const std::span cells =
          std::span(exact[i].values).subspan(k * tree.num_cells, tree.num_cells);
      std::vector<int64_t> entries = tree.entries_of(cells);
      add_gaussian_noise(charges[k].take(parts[i].first_item), {sensitivity, Norm::kL2, relation},
                         entries, source);
      released[k * counted.size() + i] = std::move(entries);
    }
  }
  return released;
}

}  // namespace equinoise
