#pragma once

#include <span>
#include <vector>

#include "equinoise/means/release.h"

namespace equinoise {

/// How wide the 95 % intervals of noise of a column's means are expected to be, in its units; at
/// most as wide as the bounds, infinite where public facts do not tell.
struct PredictedWidths {
  std::vector<double> strata;  ///< (num_strata) of figures as they come out, before shrinkage
  double overall = 0;
};

/// weights: (num_strata), or none: by size. Pre: public sizes.
PredictedWidths predict_widths(const MeansPlan& plan, size_t column,
                               std::span<const double> weights);

/// The standard deviation of the noise to be expected in a column's mean over all strata; of an
/// empty one, whose figure is the middle of the bounds, that is half of these. Arguments: as above.
double predicted_overall_noise(const MeansPlan& plan, size_t column,
                               std::span<const double> weights);

}  // namespace equinoise
