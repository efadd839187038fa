// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace equinoise {

/// Empirical-Bayes shrinkage of noisy estimates.
struct Shrinkage {
  double tau_squared = 0;      ///< estimated variance of the means that are estimated
  double centre = 0;           ///< towards which estimates are shrunk
  std::vector<double> shrunk;  ///< (estimates), within [lower, upper]
};

/// Shrinks each estimate towards their weighted mean, as far as noise explains their differences.
/// tau^2 solves sum (e - m)^2 / (v + tau^2) = k - 1, m the mean weighted by 1 / (v + tau^2)
/// [PauleMandel1982]; e becomes m + tau^2 / (tau^2 + v) (e - m) [Morris1983]. Post-processing of
/// released figures: costs nothing.
///
/// noise_variances: > 0. With one estimate, or if noise explains all differences, every estimate
/// becomes m. Edge cases: no estimates give an empty result.
Shrinkage shrink_estimates(std::span<const double> estimates,
                           std::span<const double> noise_variances, double lower, double upper);

/// Shrinks estimates of strata that are intersections of columns. Each is shrunk towards the part
/// that its levels of the columns share with other strata, as far as noise and the remaining
/// differences explain. The model of a mean is a centre + an effect of each column's level + an
/// effect of the stratum. All effects are drawn around 0, each kind with its own variance, which is
/// estimated by restricted maximum likelihood [DempsterLairdRubin1977]. The result is the best
/// linear prediction [Henderson1975]. Post-processing of released figures: costs nothing.
///
/// levels: (estimates, columns), each column's levels from 0 on; at least two columns.
/// noise_variances: > 0. The result's tau_squared is that of strata's own effects.
Shrinkage shrink_intersections(std::span<const double> estimates,
                               std::span<const double> noise_variances,
                               const std::vector<std::vector<size_t>>& levels, double lower,
                               double upper);

}  // namespace equinoise
