#include "equinoise/means/automatic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "equinoise/means/registry.h"

namespace equinoise {

namespace {

/// The root of the mean square over strata; none counts for more than the width of the bounds,
/// beyond which an answer says nothing.
double typical_noise(const MeanEstimator& estimator, const MeanColumn& column,
                     const std::vector<double>& sizes, double rho, const MeanConfig& config) {
  double total = 0;
  for (const double size : sizes) {
    const double noise = std::min(estimator.predicted_noise({column}, 0, size, rho, config),
                                  column.upper - column.lower);
    total += noise * noise / static_cast<double>(sizes.size());
  }
  return std::sqrt(total);
}

}  // namespace

MeanChoice choose_mean_estimator(const MeanColumn& column, const std::vector<double>& sizes,
                                 double rho, const MeanConfig& config) {
  const auto noise_of = [&](std::string_view name) {
    return typical_noise(*find_mean_estimator(name).make(), column, sizes, rho, config);
  };
  const double bounded = noise_of("bounded");
  if (!column.stddev) {
    return {"bounded",
            fmt::format("no standard deviation is declared, so that the noise of others cannot be "
                        "predicted; its own is {:.3g} in a typical stratum",
                        bounded)};
  }
  // A tie goes to the simpler one. Quantiles are not in the choice: they clip on purpose, so that
  // their error has a part that no public fact predicts.
  const double coinpress = noise_of("coinpress");
  const bool is_bounded = bounded <= coinpress;
  return {
      is_bounded ? "bounded" : "coinpress",
      fmt::format("the bounds are {:.3g} standard deviations apart: predicted noise {:.3g} in a "
                  "typical stratum, {:.3g} of {}",
                  (column.upper - column.lower) / *column.stddev, is_bounded ? bounded : coinpress,
                  is_bounded ? coinpress : bounded, is_bounded ? "coinpress" : "bounded")};
}

}  // namespace equinoise
