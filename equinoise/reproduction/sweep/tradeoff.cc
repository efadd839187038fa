// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/sweep/tradeoff.h"

namespace equinoise {

std::optional<CurvePlace> min_error_within(std::span<const double> disparities,
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
