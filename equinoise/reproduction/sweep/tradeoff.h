// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace equinoise {

/// A place on the lines between the points of a trade-off curve: `share` of the first point and the
/// rest of the second.
struct CurvePlace {
  size_t first = 0;
  size_t second = 0;
  double share = 1;

  /// A value there, of one at each point.
  double mix(std::span<const double> values) const {
    return first == second ? values[first] : share * values[first] + (1 - share) * values[second];
  }
};

/// Where the error is least of all points, and of all lines between two of them, whose disparity is
/// at most `level`; nowhere where no point's is. A place on a line is what is had by drawing one of
/// both models for each prediction. disparities, errors: (points).
std::optional<CurvePlace> least_error_within(std::span<const double> disparities,
                                             std::span<const double> errors, double level);

}  // namespace equinoise
