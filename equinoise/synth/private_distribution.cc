// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/private_distribution.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "equinoise/base/lists.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/synth/shrunk_counts.h"
#include "equinoise/synth/synth_budget.h"

namespace equinoise {

namespace {

/// `empty` for shrink_counts(): empty parts are as common as others, because bounds are wide if a
/// few numbers are far out. With a smaller value, the noise in empty parts would raise the means of
/// such columns.
constexpr double kEmptyCells = 1;

/// The position of a cell among 2^num_levels places, so that all parts of a level have equal
/// numbers of cells to within one.
size_t place_of(size_t cell, size_t num_cells, size_t num_levels) {
  return (cell << num_levels) / num_cells;
}

/// (cells) The share of each cell in the counts that noise hides. Shares are equal, except small
/// ones for a number that is a cell of its own next to wide ones, and 0 for point masses.
std::vector<double> sizes_of(const ColumnCodes& cells, std::span<const double> point_masses) {
  constexpr double kOfNarrow = 0.05;
  const size_t count = cells.num_bins();
  const auto width = [&](size_t cell) { return cells.edges[cell + 1] - cells.edges[cell]; };
  std::vector<double> sizes(count, 1);
  for (size_t cell = 0; cell < count; ++cell) {
    const bool is_narrow = (cell > 0 && 2 * width(cell) < width(cell - 1)) ||
                           (cell + 1 < count && 2 * width(cell) < width(cell + 1));
    if (is_narrow) sizes[cell] = kOfNarrow;
  }
  for (const double point_mass : point_masses) sizes[cells.bin_of(point_mass)] = 0;
  return sizes;
}

/// The sums of cells over the whole table and over the parts of all levels.
template <typename Number>
std::vector<std::vector<Number>> parts_of(const std::vector<Number>& cells, size_t num_levels) {
  std::vector<std::vector<Number>> parts(num_levels + 1);
  parts.back().resize(size_t{1} << num_levels);
  for (size_t cell = 0; cell < cells.size(); ++cell)
    parts.back()[place_of(cell, cells.size(), num_levels)] = cells[cell];
  for (size_t level = num_levels; level > 0; --level) {
    for (size_t part = 0; part < parts[level].size(); part += 2)
      parts[level - 1].push_back(parts[level][part] + parts[level][part + 1]);
  }
  return parts;
}

/// (cells) `sizes`, reduced far away from 0 according to the noisy counts. Beyond some distance
/// they fall with its fourth power. The result is the mean over distances, weighted by how well
/// each explains all counts. So noise in the tail of a column with wide bounds is attributed to
/// cells nearer to 0. A peak at 0 itself does not count for the other cells.
std::vector<double> falling_sizes(const ColumnCodes& cells, std::span<const double> sizes,
                                  const std::vector<std::vector<int64_t>>& levels, double all,
                                  double noise_stddev) {
  constexpr int kHalvings = 24;
  constexpr double kStandsOut = 3;  // standard deviations
  constexpr double kMaxOwn = 0.99;
  constexpr double kEverywhere = 1e-3;  // of all, so that a peak far away is kept
  const double anchor = std::clamp(0.0, cells.edges.front(), cells.edges.back());
  const size_t own = cells.bin_of(anchor);
  const auto own_count =
      static_cast<double>(levels.back()[place_of(own, sizes.size(), levels.size())]);
  const bool has_own = sizes[own] > 0 && own_count > kStandsOut * noise_stddev;
  const double own_share = has_own ? std::min(own_count / all, kMaxOwn) : 0;
  std::vector<double> others(sizes.begin(), sizes.end());
  if (has_own) others[own] = 0;
  const double sum_of_others = std::accumulate(others.begin(), others.end(), 0.0);
  if (!(sum_of_others > 0)) return {sizes.begin(), sizes.end()};
  std::vector<double> away;
  for (size_t cell = 0; cell < sizes.size(); ++cell)
    away.push_back(std::fabs(cells.edges[cell] / 2 + cells.edges[cell + 1] / 2 - anchor));
  const double farthest = *std::ranges::max_element(away);
  std::vector<std::vector<double>> candidates;
  std::vector<double> misfits;
  for (int halving = 0; halving < kHalvings; ++halving) {
    std::vector<double>& found = candidates.emplace_back(others);
    for (size_t cell = 0; cell < found.size(); ++cell) {
      const double ratio = std::min(1.0, std::ldexp(farthest, -halving) / away[cell]);
      found[cell] *= ratio * ratio * ratio * ratio;
    }
    const double sum = std::accumulate(found.begin(), found.end(), 0.0);
    for (size_t cell = 0; cell < found.size(); ++cell) {
      const double fallen = sum > 0 ? (1 - kEverywhere) * found[cell] / sum : 0;
      found[cell] = (1 - own_share) * (fallen + kEverywhere * others[cell] / sum_of_others);
    }
    if (has_own) found[own] = own_share;
    const std::vector<std::vector<double>> parts = parts_of(found, levels.size());
    double& misfit = misfits.emplace_back(0);
    for (size_t level = 0; level < levels.size(); ++level) {
      for (size_t part = 0; part < levels[level].size(); ++part) {
        const double gap = static_cast<double>(levels[level][part]) - all * parts[level + 1][part];
        misfit += gap * gap / (2 * noise_stddev * noise_stddev);
      }
    }
  }
  const double least = *std::ranges::min_element(misfits);
  std::vector<double> mean(sizes.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    const double weight = std::exp(least - misfits[i]);
    for (size_t cell = 0; cell < mean.size(); ++cell) mean[cell] += weight * candidates[i][cell];
  }
  return mean;
}

}  // namespace

std::vector<double> distribution_cells(const ColumnSchema& column) {
  constexpr int kEqualCells = 2048;
  constexpr int kCutFurther = 16;  // of these on each side of the anchor
  constexpr int kPerOctave = 8;
  constexpr int kOctaves = 16;
  const bool whole = column.whole;
  const double lower = whole ? std::ceil(column.lower) : column.lower;
  const double upper = whole ? std::floor(column.upper) : column.upper;
  const double end = whole ? upper + 1 : upper;
  const double width = (end - lower) / kEqualCells;
  const double anchor = std::clamp(0.0, lower, upper);
  std::vector<double> edges = {lower, end};
  const auto add = [&](double edge) {
    if (whole) edge = std::ceil(edge);
    if (edge > lower && edge < end) edges.push_back(edge);
  };
  for (int i = 1; i < kEqualCells; ++i) add(lower + width * i);
  for (int k = 0; k <= kPerOctave * kOctaves; ++k) {
    const double away = kCutFurther * width * std::exp2(-k / double{kPerOctave});
    add(anchor + away);
    add(anchor - away);
  }
  std::vector<double> alone = {lower, anchor, upper};
  append(alone, column.point_masses);
  return with_edges(std::move(edges), edges_around(alone, whole));
}

std::vector<ColumnCodes> with_distribution_cells(const Schema& schema,
                                                 std::vector<ColumnCodes> columns) {
  for (ColumnCodes& column : columns) {
    if (!column.is_numeric()) continue;
    std::vector<double> cells = distribution_cells(schema.column(column.name));
    if (cells.size() > column.edges.size()) column.edges = std::move(cells);
  }
  return columns;
}

int distribution_bins(std::optional<int64_t> num_records, double rho) {
  constexpr int kMin = 8;
  constexpr int kUnknown = 16;
  if (!num_records) return kUnknown;
  const double shown = static_cast<double>(*num_records) * std::sqrt(rho);
  return static_cast<int>(std::clamp(std::round(2 * std::sqrt(std::sqrt(shown))), double{kMin},
                                     double{kMaxDistributionBins}));
}

DistributionPlan plan_distribution(size_t num_cells, double rho, std::string_view where) {
  DistributionPlan plan;
  plan.num_levels = std::max(1, static_cast<int>(std::bit_width(num_cells - 1)));
  plan.noise_stddev = stddev_for(rho / plan.num_levels, where);
  return plan;
}

NumberDistribution release_distribution(const ColumnCodes& cells,
                                        std::span<const double> point_masses,
                                        std::span<const int64_t> counts,
                                        const DistributionPlan& plan, std::span<Charge> charges,
                                        size_t place, Relation relation, RandomSource& source) {
  const std::vector<double> sizes = sizes_of(cells, point_masses);
  std::vector<int64_t> counted(counts.begin(), counts.end());
  for (size_t cell = 0; cell < counted.size(); ++cell)
    if (!(sizes[cell] > 0)) counted[cell] = 0;
  std::vector<std::vector<int64_t>> levels =
      parts_of(counted, static_cast<size_t>(plan.num_levels));
  levels.erase(levels.begin());  // the whole table
  for (std::vector<int64_t>& level : levels) {
    std::vector<Permit> permits;
    for (Charge& charge : charges) permits.push_back(charge.take(charge.events().size() - place));
    add_shared_discrete_gaussian_noise(std::move(permits), Sensitivity(1, Norm::kL1, relation),
                                       level, source);
  }
  return distribution_from_counts(cells, sizes, levels, plan.noise_stddev);
}

NumberDistribution distribution_from_counts(const ColumnCodes& cells, std::span<const double> sizes,
                                            const std::vector<std::vector<int64_t>>& levels,
                                            double noise_stddev) {
  std::vector<double> found = {
      std::max(1.0, static_cast<double>(levels[0][0]) + static_cast<double>(levels[0][1]))};
  const std::vector<std::vector<double>> part_sizes =
      parts_of(falling_sizes(cells, sizes, levels, found[0], noise_stddev), levels.size());
  for (size_t level = 0; level < levels.size(); ++level) {
    const std::vector<double>& size = part_sizes[level + 1];
    std::vector<double> expected(size.size());
    for (size_t part = 0; part < size.size(); ++part) {
      if (size[part] > 0)
        expected[part] = found[part / 2] * size[part] / part_sizes[level][part / 2];
    }
    std::vector<NoisyCounts> released(1);
    released[0].counts.assign(levels[level].begin(), levels[level].end());
    released[0].variances.assign(levels[level].size(), noise_stddev * noise_stddev);
    shrink_counts(released, std::vector<std::vector<double>>{expected}, kEmptyCells);
    std::vector<double>& shrunk = released[0].counts;
    for (size_t part = 0; part < shrunk.size(); part += 2) {
      const double sum = shrunk[part] + shrunk[part + 1];
      for (const size_t own : {part, part + 1})
        shrunk[own] = sum > 0 ? found[part / 2] * shrunk[own] / sum : expected[own];
    }
    found = std::move(shrunk);
  }
  NumberDistribution distribution{cells.edges, {0}};
  for (size_t cell = 0; cell < cells.num_bins(); ++cell)
    distribution.below.push_back(distribution.below.back() +
                                 found[place_of(cell, cells.num_bins(), levels.size())]);
  const double all = distribution.below.back();
  for (double& below : distribution.below) below = all > 0 ? below / all : 0;
  return distribution;
}

bool spreads_evenly(const NumberDistribution& distribution, std::span<const double> edges,
                    size_t num_bins) {
  constexpr double kMaxTogether = 1.75;
  double together = 0;
  for (size_t bin = 0; bin + 1 < edges.size(); ++bin) {
    const double share = distribution.share_between(edges[bin], edges[bin + 1]);
    together += share * share;
  }
  return together * static_cast<double>(num_bins) <= kMaxTogether;
}

std::vector<double> even_shares(const NumberDistribution& distribution, size_t num_bins) {
  const size_t num_cells = distribution.knots.size() - 1;
  const double heavy = distribution.below.back() / static_cast<double>(num_bins);
  const auto is_heavy = [&](size_t cell) {
    return heavy > 0 && distribution.below[cell + 1] - distribution.below[cell] >= heavy;
  };
  std::vector<double> edges = {distribution.knots[0]};
  size_t cell = 0;
  for (size_t bins_left = num_bins; bins_left > 1; --bins_left) {
    const double before = distribution.below[cell];
    const double share = (distribution.below.back() - before) / static_cast<double>(bins_left);
    // Bins have equal numbers of cells if no numbers are left.
    size_t end = cell + (num_cells - cell) / bins_left;
    if (is_heavy(cell)) {
      end = cell + 1;
    } else if (share > 0) {
      const auto next =
          std::lower_bound(distribution.below.begin() + static_cast<std::ptrdiff_t>(cell) + 1,
                           distribution.below.end(), before + share * (1 - 1e-9));
      end = static_cast<size_t>(next - distribution.below.begin());
      if (end > cell + 1 && end <= num_cells && is_heavy(end - 1)) --end;
    }
    cell = std::clamp(end, cell + 1, num_cells - (bins_left - 1));
    edges.push_back(distribution.knots[cell]);
  }
  edges.push_back(distribution.knots.back());
  return edges;
}

}  // namespace equinoise
