// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The range of a numeric feature in fine cells, which are united to coarse bins: what an additive
/// model can tell apart of it. From the schema alone, so that cells and bins are public whether a
/// table has records in them or not.
///
/// Cells: whole numbers of a range up to 4,096 one by one; of a column whose public mean lies close
/// to an end of wide bounds, or to 0 within them, that value and 8 significant bits of the distance
/// from it; else 4,096 of one width. Bins: whole numbers of a range up to 32 one by one; of such a
/// skewed column that value, and half-octaves of the distance; else quarters of the standard
/// deviation, or 64 of one width where only bounds are known.
class NumberCells {
 public:
  explicit NumberCells(const ColumnSchema& column);

  size_t size() const { return lower_.size(); }
  size_t num_bins() const { return num_bins_; }
  bool are_finer_than_bins() const { return size() > num_bins_; }

  /// The cell of a number as it is encoded (scaled_number).
  size_t cell_of(float scaled) const;
  uint32_t bin_of(size_t cell) const { return bins_[cell]; }

  /// Where a cell lies, in standard deviations from the mean, or where those are not known in
  /// quarters of the range from its middle.
  double position_of(size_t cell) const { return positions_[cell]; }

  /// "age=17", "income=500 to 512"
  std::string name_of(size_t cell) const { return names_[cell]; }

 private:
  std::vector<float> lower_;  ///< (size) ascending, on the encoded scale
  std::vector<uint32_t> bins_;
  std::vector<double> positions_;
  std::vector<std::string> names_;
  size_t num_bins_ = 0;
};

/// Those of every numeric feature of the schema, in the order of EncodedTable's dense features.
std::vector<NumberCells> number_cells(const Schema& schema);

}  // namespace equinoise
