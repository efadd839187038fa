// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/number_distribution.h"

namespace equinoise {

/// The plan for the distribution of a column's numbers, from released counts of many fine cells.
/// Noisy counts of halves, quarters and so on of the cells are released, so that the error of a
/// quantile grows with the logarithm of their number.
///
/// Relation: zero_out or add_remove. Sensitivity: a record is in at most one part of each level, so
/// the counts of a level change by 1 in L1 norm. Cost: one discrete Gaussian for each level.
struct DistributionPlan {
  int num_levels = 0;       ///< the last level has at least as many parts as there are cells
  double noise_stddev = 0;  ///< for each count

  Event event() const {
    return Event::repeat(num_levels, Event::discrete_gaussian(noise_stddev, 1));
  }
};

/// The largest number of bins of a column that are cut by its distribution.
inline constexpr int kMaxDistributionBins = 32;

/// The edges of the cells of a numeric column. Cells have equal width, and are finer towards 0 (or
/// the bound nearest to it), because bounds are often far wider than numbers are. 0, both bounds
/// and point masses are separate cells: many people have nothing, or at least the upper limit. From
/// the schema alone.
std::vector<double> distribution_cells(const ColumnSchema& column);

/// Columns with these cells as bins, if they are more.
std::vector<ColumnCodes> with_distribution_cells(const Schema& schema,
                                                 std::vector<ColumnCodes> columns);

/// The number of bins that are cut by a distribution. It balances the error of bins, which falls
/// with the square of the number, and the noise in pairs of columns, which grows with the number
/// and falls with the records. `num_records` is public; empty if private.
int distribution_bins(std::optional<int64_t> num_records, double rho);

/// The plan for `rho`. Errors: kUsage at `where` if rho is too small for any noise.
DistributionPlan plan_distribution(size_t num_cells, double rho, std::string_view where);

/// Releases the distribution of all numbers except the point masses, which have separate codes.
/// `counts`: (cells.num_bins()) the number of records in each, sensitive. `charges`: of all groups
/// in parallel whose records are counted; the plan's event is the `place`-th of each from the end.
/// Errors: as add_shared_discrete_gaussian_noise.
NumberDistribution release_distribution(const ColumnCodes& cells,
                                        std::span<const double> point_masses,
                                        std::span<const int64_t> counts,
                                        const DistributionPlan& plan, std::span<Charge> charges,
                                        size_t place, Relation relation, RandomSource& source);

/// The distribution from released counts. `levels`: the i-th holds 2^(i + 1) parts with equal
/// numbers of cells to within one. Counts are shrunk from coarse to fine, each level towards the
/// one above (shrink_counts), so that numbers are spread over the cells of a part where noise hides
/// their distribution. `sizes`: (cells) the share of each in that; 0: none. Post-processing.
NumberDistribution distribution_from_counts(const ColumnCodes& cells, std::span<const double> sizes,
                                            const std::vector<std::vector<int64_t>>& levels,
                                            double noise_stddev);

/// Returns whether bins spread the numbers so well that their equal widths may stay: two random
/// numbers are in the same bin at most 1.75 times as often as with `num_bins` bins of equal counts.
bool spreads_evenly(const NumberDistribution& distribution, std::span<const double> edges,
                    size_t num_bins);

/// (num_bins + 1) Knots of the distribution with about equal shares of the numbers between them. A
/// cell with at least an even share of all, such as a number that many people have, is a bin by
/// itself while there are bins, and the others share the rest. Pre: num_bins is below the number of
/// knots.
std::vector<double> even_shares(const NumberDistribution& distribution, size_t num_bins);

}  // namespace equinoise
