// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/privacy/charge.h"
#include "equinoise/synth/column_codes.h"

namespace equinoise {

/// Bins of a numeric column that hold about equally many records, from released counts of many fine
/// cells: noisy counts of halves, quarters and so on of the cells, so that the error of a quantile
/// grows with the logarithm of their number.
///
/// Relation: zero_out or add_remove. Sensitivity: a record is in one part of each level, so the
/// counts of a level change by 1 in L1 norm. Cost: one discrete Gaussian for each level.
struct EdgePlan {
  int num_levels = 0;       ///< the last one has at least as many parts as there are cells
  double noise_stddev = 0;  ///< of each count

  Event event() const {
    return Event::repeat(num_levels, Event::discrete_gaussian(noise_stddev, 1));
  }
};

/// Errors: kUsage at `where` if rho is too small for any noise.
EdgePlan plan_edges(size_t num_cells, double rho, std::string_view where);

/// The edges, (num_bins + 1) of those of `cells`. `counts`: (cells.num_bins()), sensitive.
/// `next_permits` gives the permits of a level, for the plan's event, of all groups in parallel
/// whose records are counted. Pre: num_bins <= cells.num_bins(). Errors: as
/// add_shared_discrete_gaussian_noise.
std::vector<double> release_edges(const ColumnCodes& cells, std::span<const int64_t> counts,
                                  size_t num_bins, const EdgePlan& plan,
                                  const std::function<std::vector<Permit>()>& next_permits,
                                  Relation relation, RandomSource& source);

/// The same from counts that are released. `levels`: the i-th holds 2^(i + 1) parts. A part that
/// holds more than its share of the records, as a number that most people have, gets a bin of its
/// own, and the others share what is left, at least `least_records` each while there are so many.
/// Post-processing.
std::vector<double> edges_from_counts(const ColumnCodes& cells, size_t num_bins,
                                      const std::vector<std::vector<int64_t>>& levels,
                                      double least_records);

}  // namespace equinoise
