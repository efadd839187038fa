// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/private_edges.h"

#include <algorithm>
#include <bit>

#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/synth/synth_budget.h"

namespace equinoise {

namespace {

using Levels = std::vector<std::vector<int64_t>>;

/// How many records are in the cells before `cell`.
int64_t records_before(const Levels& levels, size_t cell) {
  int64_t sum = 0;
  for (size_t level = 0; level < levels.size(); ++level) {
    const size_t part = cell >> (levels.size() - 1 - level);
    if (part % 2 == 1) sum += levels[level][part - 1];
  }
  // The end of all cells has no part behind it.
  if (cell == levels.back().size()) sum = levels[0][0] + levels[0][1];
  return sum;
}

/// The cell in which the record of that rank is.
size_t cell_of_rank(const Levels& levels, double rank) {
  size_t part = 0;
  for (const std::vector<int64_t>& level : levels) {
    part *= 2;
    const auto left = static_cast<double>(level[part]);
    if (rank <= left) continue;
    rank -= left;
    ++part;
  }
  return part;
}

}  // namespace

EdgePlan plan_edges(size_t num_cells, double rho, std::string_view where) {
  EdgePlan plan;
  plan.num_levels = std::max(1, static_cast<int>(std::bit_width(num_cells - 1)));
  plan.noise_stddev = stddev_for(rho / plan.num_levels, where);
  return plan;
}

std::vector<double> release_edges(const ColumnCodes& cells, std::span<const int64_t> counts,
                                  size_t num_bins, const EdgePlan& plan,
                                  const std::function<std::vector<Permit>()>& next_permits,
                                  Relation relation, RandomSource& source) {
  Levels levels(static_cast<size_t>(plan.num_levels));
  levels.back().assign(counts.begin(), counts.end());
  levels.back().resize(size_t{1} << plan.num_levels);
  for (size_t level = levels.size() - 1; level > 0; --level) {
    for (size_t part = 0; part < levels[level].size(); part += 2)
      levels[level - 1].push_back(levels[level][part] + levels[level][part + 1]);
  }
  size_t width = size_t{1} << plan.num_levels;
  for (std::vector<int64_t>& level : levels) {
    width /= 2;
    add_shared_discrete_gaussian_noise(next_permits(), Sensitivity(1, Norm::kL1, relation), level,
                                       source);
    // Nobody can be beyond the last cell.
    for (size_t part = 0; part < level.size(); ++part)
      if (part * width >= cells.num_bins()) level[part] = 0;
  }
  // Fewer than that are hidden by the noise.
  return edges_from_counts(cells, num_bins, levels, 2 * plan.noise_stddev);
}

std::vector<double> edges_from_counts(const ColumnCodes& cells, size_t num_bins,
                                      const std::vector<std::vector<int64_t>>& levels,
                                      double least_records) {
  const size_t num_cells = cells.num_bins();
  const auto total = static_cast<double>(levels[0][0] + levels[0][1]);
  std::vector<double> edges = {cells.edges[0]};
  size_t cell = 0;
  for (size_t bins_left = num_bins; bins_left > 1; --bins_left) {
    const auto before = static_cast<double>(records_before(levels, cell));
    const double left = total - before;
    const double share = std::max(left / static_cast<double>(bins_left), least_records);
    // Where the counts cannot tell who is left, bins are of equal width.
    const size_t next = left > share ? cell_of_rank(levels, before + share) + 1
                                     : cell + (num_cells - cell) / bins_left;
    cell = std::clamp(next, cell + 1, num_cells - (bins_left - 1));
    edges.push_back(cells.edges[cell]);
  }
  edges.push_back(cells.edges.back());
  return edges;
}

}  // namespace equinoise
