// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace equinoise {

/// Empirical-Bayes shrinkage of noisy estimates.
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

/// The same for strata that are intersections: each estimate is moved towards what its levels of
/// the columns have in common with those of other strata, by as much as noise and the differences
/// that are left explain. The means are taken for a centre + an effect of each column's level + an
/// effect of the stratum, all but the centre drawn around 0 with variances of their own, which are
/// estimated by restricted maximum likelihood [DempsterLairdRubin1977]; told is the best linear
/// prediction [Henderson1975]. Post-processing of what was released: costs nothing.
///
/// levels: (estimates, columns), each column's levels from 0 on; at least two columns.
/// noise_variances: > 0. The result's tau_squared is of strata's own effects.
Shrinkage shrink_intersections(std::span<const double> estimates,
                               std::span<const double> noise_variances,
                               const std::vector<std::vector<size_t>>& levels, double lower,
                               double upper);

}  // namespace equinoise
