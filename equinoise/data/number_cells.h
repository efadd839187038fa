// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The numbers of some neighbouring cells, in the column's own units: from `from` to below `to`,
/// and of the last cell the upper bound as well.
struct NumberRange {
  double from = 0;
  double to = 0;
  std::string text;  ///< "17", "17 to 24", "500 to 512", "2020-01-01 to 2020-01-08"
};

/// The range of a numeric feature in fine cells, which are joined to coarse bins: the resolution of
/// an additive model. From the schema alone, so that cells and bins are public whether a table has
/// records in them or not.
///
/// A column is skewed if its bounds are wide and its public mean lies close to the anchor: 0 if
/// that is inside the bounds, else the lower bound.
///
/// - Cells: each whole number for ranges up to 4,096; the anchor and 8 significant bits of the
///   distance from it for a skewed column; else 4,096 of one width.
/// - Bins: each whole number for ranges up to 32; the anchor and half-octaves of the distance for a
///   skewed column; else quarters of the standard deviation, or 64 of one width if only bounds are
///   known.
class NumberCells {
 public:
  explicit NumberCells(const ColumnSchema& column);

  size_t size() const { return lower_.size(); }
  size_t num_bins() const { return num_bins_; }
  bool are_finer_than_bins() const { return size() > num_bins_; }

  /// The cell of an encoded number (scaled_number).
  size_t cell_of(float scaled) const;
  uint32_t bin_of(size_t cell) const { return bins_[cell]; }

  /// The position of a cell, in standard deviations from the mean. If these are not known, in
  /// quarters of the range from its middle.
  double position_of(size_t cell) const { return positions_[cell]; }

  /// The numbers of the cells from `first` to `last`, both included.
  NumberRange range_of(size_t first, size_t last) const;

  /// "age=17", "income=500 to 512"; of several cells in a row "age=17 to 25".
  std::string name_of(size_t cell) const { return name_of(cell, cell); }
  std::string name_of(size_t first, size_t last) const {
    return column_.name + "=" + range_of(first, last).text;
  }

 private:
  ColumnSchema column_;
  std::vector<double> starts_;  ///< (size + 1) the least number of each cell, then the end
  std::vector<float> lower_;    ///< (size) ascending, on the encoded scale
  std::vector<uint32_t> bins_;
  std::vector<double> positions_;
  size_t num_bins_ = 0;
};

/// The cells of every numeric feature of the schema, in the order of EncodedTable's dense features.
std::vector<NumberCells> number_cells(const Schema& schema);

}  // namespace equinoise
