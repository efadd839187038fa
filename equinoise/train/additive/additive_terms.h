// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace equinoise {

/// A term of an additive model: what its columns' values add to the scores, each in a cell, and the
/// share of records behind each cell. A post-processing of released histograms.
struct AdditiveTerm {
  std::vector<size_t> columns;  ///< among the model's columns: the numbers, then the categories
  size_t first_cell = 0;        ///< among the model's cells
  std::vector<double> shares;   ///< (cells) of the records
  /// (cells) from 0, ascending: in the cells of a part contributions follow one straight line.
  std::vector<uint32_t> parts;
};

}  // namespace equinoise
