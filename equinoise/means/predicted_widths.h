// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/means/release.h"

namespace equinoise {

/// The expected widths of the 95 % noise intervals of a column's means, in its units; at most as
/// wide as the bounds, infinite if public facts do not determine them. For a column with gaps they
/// assume that every record has a value and that the mean lies at an end of the clip, where noise
/// of the number of values matters most. Weighted columns are treated likewise, with records of the
/// expected weight.
struct PredictedWidths {
  std::vector<double> strata;  ///< (num_strata) for the released figures, before shrinkage
  double overall = 0;
};

/// weights: (num_strata), or none: by size. Pre: sizes that are public or expected.
PredictedWidths predict_widths(const MeansPlan& plan, size_t column,
                               std::span<const double> weights);

/// The standard deviation of the expected noise in a column's mean over all strata; nothing is
/// drawn for an empty stratum. Arguments: as for predict_widths.
double predicted_overall_noise(const MeansPlan& plan, size_t column,
                               std::span<const double> weights);

}  // namespace equinoise
