// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The bins as which numbers of a column are counted, and the number that stands for each. Public:
/// they follow from the schema.
class PublicBins {
 public:
  /// At most `num_bins` bins of equal width between the bounds; of whole numbers bins of equally
  /// many, one for each where there are no more. Edges that other uses of the column need are edges
  /// of these bins, too, and add to their number: those of its bins of synthetic rows, where the
  /// schema says them, and its own_edges(). 0 and the bounds
  /// are bins of their own, that of 0 with numbers hardly above it. Where double
  /// precision holds fewer numbers than bins each has a bin.
  PublicBins(const Schema& schema, const ColumnSchema& column, int num_bins);

  size_t num_bins() const { return values_.size(); }

  /// (num_bins + 1) ascending: bin b holds the numbers from edges[b] to before edges[b + 1], the
  /// first one also all below, the last one all from edges[b] on.
  const std::vector<double>& edges() const { return edges_; }

  /// The bin of a number. Pre: not NaN.
  uint32_t bin_of(double number) const;

  /// What stands for the numbers of a bin, one of them: the only one, 0 if it is one, of whole
  /// numbers the middle one, of others their middle.
  double value_of(uint32_t bin) const { return values_[bin]; }

  /// How far numbers, brought within the bounds and whole ones of a whole column, are at most from
  /// what stands for them, rounded up; 0: each is kept.
  double most_rounding() const { return most_rounding_; }

 private:
  size_t cell_of(double number) const;

  std::vector<double> edges_;
  std::vector<double> values_;
  double most_rounding_ = 0;
  double cells_per_unit_ = 0;
  std::vector<uint32_t> first_edge_;  ///< (cells + 1) of equal cells: the first edge in each
};

/// How many bins an engine counts the numbers of a column in: what the schema says (public_bins),
/// else so many that whole numbers are kept, up to kMaxBins of them. Errors: kInput, which says
/// what to write, where the schema does not say and numbers are not whole or are too many.
int num_public_bins(const Schema& schema, const ColumnSchema& column);

}  // namespace equinoise
