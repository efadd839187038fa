// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/privacy/charge.h"
#include "equinoise/synth/column_codes.h"
#include "equinoise/synth/number_law.h"

namespace equinoise {

/// How the numbers of a column are spread, from released counts of many fine cells: noisy counts of
/// halves, quarters and so on of the cells, so that the error of a quantile grows with the
/// logarithm of their number.
///
/// Relation: zero_out or add_remove. Sensitivity: a record is in at most one part of each level, so
/// the counts of a level change by 1 in L1 norm. Cost: one discrete Gaussian for each level.
struct LawPlan {
  int num_levels = 0;       ///< the last one has at least as many parts as there are cells
  double noise_stddev = 0;  ///< of each count

  Event event() const {
    return Event::repeat(num_levels, Event::discrete_gaussian(noise_stddev, 1));
  }
};

/// The most bins of a column that are cut by its law.
inline constexpr int kMostLawBins = 32;

/// The edges of the cells of a numeric column. They are of equal width, and finer towards 0 (or the
/// bound that is nearest to it), since bounds are often far wider than numbers are. 0, both bounds
/// and atoms are cells of their own: many people have nothing, or more than the most that is told.
/// From the schema alone.
std::vector<double> law_cells(const ColumnSchema& column);

/// Columns with these cells for bins, where they are more.
std::vector<ColumnCodes> with_law_cells(const Schema& schema, std::vector<ColumnCodes> columns);

/// How many bins are cut by a law: as many as keep both small, what bins lose and what noise adds
/// to pairs of columns, of which one falls with the square of the number and the other grows with
/// it and falls with the records. `num_records` is public; empty where nobody knows it.
int law_bins(std::optional<int64_t> num_records, double rho);

/// Errors: kUsage at `where` if rho is too small for any noise.
LawPlan plan_law(size_t num_cells, double rho, std::string_view where);

/// The law of all numbers but the atoms, which have codes of their own. `counts`:
/// (cells.num_bins()) how many records are in each, sensitive. `next_permits` gives the permits of
/// a level, for the plan's event, of all groups in parallel whose records are counted. Errors: as
/// add_shared_discrete_gaussian_noise.
NumberLaw release_law(const ColumnCodes& cells, std::span<const double> atoms,
                      std::span<const int64_t> counts, const LawPlan& plan,
                      const std::function<std::vector<Permit>()>& next_permits, Relation relation,
                      RandomSource& source);

/// The same from counts that are released. `levels`: the i-th holds 2^(i + 1) parts of
/// equally many cells, but for one. Counts are shrunk from coarse to fine, each level towards what
/// the one above says (shrink_counts), so that numbers are spread over the cells of a part where
/// noise hides how they are. `sizes`: (cells) how much of that each gets; 0: nothing at all.
/// Post-processing.
NumberLaw law_from_counts(const ColumnCodes& cells, std::span<const double> sizes,
                          const std::vector<std::vector<int64_t>>& levels, double noise_stddev);

/// Whether bins spread the numbers so well that their equal widths may stay: two numbers of the law
/// are in the same one at most 1.75 times as often as in `num_bins` that hold equally many.
bool spreads_evenly(const NumberLaw& law, std::span<const double> edges, size_t num_bins);

/// (num_bins + 1) knots of the law between which about equally many numbers lie. A cell that holds
/// an even share of all by itself, as a number that many people have, is a bin of its own while
/// there are bins, and the others share what is left. Pre: num_bins is below the number of knots.
std::vector<double> even_shares(const NumberLaw& law, size_t num_bins);

}  // namespace equinoise
