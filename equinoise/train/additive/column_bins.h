// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/number_cells.h"

namespace equinoise {

/// The bins into which a column's cells are merged for training, and their noisy counts.
struct ColumnBins {
  std::vector<uint32_t> of_cell;  ///< (cells, or categories)
  std::vector<double> counts;     ///< (bins) with noise
};

/// The standard deviations of the noise on counts; 0: none.
struct CountNoise {
  double coarse = 0;  ///< for NumberCells' bins, and for categories
  double fine = 0;    ///< for cells
};

/// The bins of a numeric column from noisy counts of its public bins, (num_bins), and of its cells,
/// (size), which are empty if both are the same. Post-processing of both.
///
/// A point mass, such as 0 among incomes or one common amount, is a bin by itself. It is a cell
/// whose count is above the largest that noise usually reaches in any cell, above a twentieth of a
/// per cent of the records, and more than twice the average of the cells of its bin. Other bins are
/// merged with the following ones until noise no longer hides them. `num_records`: the approximate
/// number of records.
ColumnBins column_bins(const NumberCells& cells, std::span<const double> coarse,
                       std::span<const double> fine, const CountNoise& noise, double num_records);

}  // namespace equinoise
