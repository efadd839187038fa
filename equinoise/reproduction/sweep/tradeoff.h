// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace equinoise {

/// A point on the lines between the points of a trade-off curve: `share` of the first point and the
/// rest of the second.
struct CurvePlace {
  size_t first = 0;
  size_t second = 0;
  double share = 1;

  /// The value at this point, from the values at each point of the curve.
  double mix(std::span<const double> values) const {
    return first == second ? values[first] : share * values[first] + (1 - share) * values[second];
  }
};

/// The point with the least error, among all points and all lines between two of them, with a
/// disparity of at most `level`; empty if no point has one. A point on a line is reached by drawing
/// one of both models for each prediction. disparities, errors: (points).
inline std::optional<CurvePlace> min_error_within(std::span<const double> disparities,
                                                  std::span<const double> errors, double level) {
  std::optional<CurvePlace> least;
  const auto look_at = [&](const CurvePlace& place) {
    if (!least || place.mix(errors) < least->mix(errors)) least = place;
  };
  for (size_t i = 0; i < disparities.size(); ++i) {
    if (!(disparities[i] <= level)) continue;
    look_at({i, i, 1});
    for (size_t j = 0; j < disparities.size(); ++j)
      if (disparities[j] > level)
        look_at({i, j, (disparities[j] - level) / (disparities[j] - disparities[i])});
  }
  return least;
}

}  // namespace equinoise
