// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The bins in which numbers of a column are counted, and the number that represents each. Public:
/// they follow from the schema.
class PublicBins {
 public:
  /// Makes at most `num_bins` bins of equal width between the bounds. Bins of whole numbers hold
  /// equally many, to within one, and one each if there are no more numbers than bins.
  ///
  /// Other edges that the column needs are edges of these bins as well, and add to their number:
  /// those of its bins of synthetic rows, if the schema has them, and its own_edges(). 0 and the
  /// bounds are bins of their own; that of 0 includes numbers hardly above it. If double precision
  /// holds fewer numbers than bins, each number has a bin.
  PublicBins(const Schema& schema, const ColumnSchema& column, int num_bins);

  size_t num_bins() const { return values_.size(); }

  /// (num_bins + 1) ascending. Bin b holds the numbers from edges[b] to before edges[b + 1]. The
  /// first bin also holds all below, the last one all from its lower edge on.
  const std::vector<double>& edges() const { return edges_; }

  /// The bin of a number. Pre: not NaN.
  uint32_t bin_of(double number) const;

  /// The number that represents a bin, one of its numbers: the only one, or 0 if the bin contains
  /// it, or the middle one of whole numbers, or else the middle.
  double value_of(uint32_t bin) const { return values_[bin]; }

  /// The largest distance of a number from the one that represents it, rounded up; 0: each is kept.
  /// Numbers are clamped to the bounds first, and are whole in a whole column.
  double max_rounding() const { return max_rounding_; }

 private:
  size_t cell_of(double number) const;

  std::vector<double> edges_;
  std::vector<double> values_;
  double max_rounding_ = 0;
  double cells_per_unit_ = 0;
  std::vector<uint32_t> first_edge_;  ///< (cells + 1) the first edge in each of equally wide cells
};

/// The number of bins in which an engine counts the numbers of a column. It is the schema's
/// public_bins; without that a number at which all whole numbers are kept, up to kMaxBins of them.
/// Errors: kInput, with a remedy, if the schema has no public_bins and numbers are not whole or are
/// too many.
int num_public_bins(const Schema& schema, const ColumnSchema& column);

}  // namespace equinoise
