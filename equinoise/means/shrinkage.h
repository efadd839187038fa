#pragma once

#include <span>
#include <vector>

namespace equinoise {

/// What an empirical-Bayes view makes of noisy estimates.
struct Shrinkage {
  double tau_squared = 0;      ///< estimated variance of the means that are estimated
  double centre = 0;           ///< towards which estimates are moved
  std::vector<double> shrunk;  ///< (estimates), within [lower, upper]
};

/// Moves each estimate towards their weighted mean by as much as noise explains their differences:
/// tau^2 solves sum (e - m)^2 / (v + tau^2) = k - 1, m the mean weighted by 1 / (v + tau^2)
/// [PauleMandel1982]; e becomes m + tau^2 / (tau^2 + v) (e - m) [Morris1983]. Post-processing of
/// what was released: costs nothing.
///
/// noise_variances: > 0. With one estimate, or where noise explains all differences, every one
/// becomes m. Edge cases: none gives an empty result.
Shrinkage shrink_estimates(std::span<const double> estimates,
                           std::span<const double> noise_variances, double lower, double upper);

}  // namespace equinoise
