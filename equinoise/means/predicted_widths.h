// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/means/release.h"

namespace equinoise {

/// How wide the 95 % intervals of noise of a column's means are expected to be, in its units; at
/// most as wide as the bounds, infinite if public facts do not give it. Of a column with gaps: if
/// every record had a value and the mean lay at an end of the clip, where noise of the number of
/// values does most; likewise by weight, of records that weigh what is expected of them.
struct PredictedWidths {
  std::vector<double> strata;  ///< (num_strata) of figures as they come out, before shrinkage
  double overall = 0;
};

/// weights: (num_strata), or none: by size. Pre: public sizes.
PredictedWidths predict_widths(const MeansPlan& plan, size_t column,
                               std::span<const double> weights);

/// The standard deviation of the noise to be expected in a column's mean over all strata; nothing
/// is drawn for an empty one. Arguments: as above.
double predicted_overall_noise(const MeansPlan& plan, size_t column,
                               std::span<const double> weights);

}  // namespace equinoise
