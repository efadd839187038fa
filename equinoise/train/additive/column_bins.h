// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/data/number_cells.h"

namespace equinoise {

/// How the cells of a column are united for training, and how many records noise leaves in each
/// bin.
struct ColumnBins {
  std::vector<uint32_t> of_cell;  ///< (cells, or categories)
  std::vector<double> counts;     ///< (bins) with noise
};

/// The standard deviations of the noise on counts; 0: none.
struct CountNoise {
  double coarse = 0;  ///< of NumberCells' bins, and of categories
  double fine = 0;    ///< of cells
};

/// The bins of a numeric column by noisy counts of its public bins, (num_bins), and of its cells,
/// (size), empty where these are the same. Post-processing of both.
///
/// A cell that stands out of its bin (an atom, as 0 among incomes or one amount that many have) is
/// a bin of its own: its count is above what noise hardly reaches in any cell and above a twentieth
/// of a per cent of the records, and more than twice what the cells of its bin hold in the mean.
/// Other bins are united with those after them until they hold what noise does not hide.
/// `num_records`: about how many there are.
ColumnBins column_bins(const NumberCells& cells, std::span<const double> coarse,
                       std::span<const double> fine, const CountNoise& noise, double num_records);

}  // namespace equinoise
