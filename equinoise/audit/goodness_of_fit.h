// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace equinoise {

/// A test of a sample against a stated distribution. It fits unless the statistic exceeds the
/// critical value, which happens to a correct sample with probability at most the significance (for
/// chi-square approximately, since the expected counts are large).
struct GoodnessOfFit {
  double statistic = 0;
  double critical = 0;

  /// NaN does not fit.
  bool fits() const { return statistic <= critical; }
};

/// Pearson's chi-square of counts against probabilities, which are scaled to sum to 1; both
/// (num_cells). Errors: kUsage unless there are at least two cells, 0 < significance < 1 and every
/// cell expects at least 20 counts.
GoodnessOfFit chi_square_fit(std::span<const double> observed,
                             std::span<const double> probabilities, double significance);

}  // namespace equinoise
