// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/means/estimator.h"
#include "equinoise/means/mean_options.h"

namespace equinoise {

/// The sum of numbers clipped to public bounds, as integers on a public grid around the middle of
/// the bounds, with exact discrete noise, divided by the size of the stratum.
///
/// Relation: replace_one within the stratum or zero_out; sizes are public or paid apart.
/// Sensitivity of the sum: upper - lower, or half of that under zero_out, where a record that
/// becomes null removes its distance to the middle. Cost: discrete_gaussian(noise_stddev,
/// sensitivity), which is rho. Guarantee: exact. A column with gaps: sum and number of values as
/// one vector, L2 sensitivity of counted_gaussian_sum, cost gaussian(noise_multiplier) and
/// sampler_error; the mean is their quotient. Records that count by weights: the weighted sum and
/// the sum of weights in the same way, at the same sensitivity and cost (CountedSum). Edge cases:
/// NaN counts as the lower bound; more or fewer records than the stratum's size change the answer,
/// never the noise.
class BoundedGaussian final : public MeanEstimator {
 public:
  const MeanOptions& options() const override;
  std::optional<std::pair<double, double>> public_clip(const MeanColumn& column, double size,
                                                       const MeanConfig& config) const override;
  /// The shared sum has the grid, sensitivity and mechanism of a stratum's sum.
  std::optional<SharedSum> shared_sum(const MeanColumn& column, double stratum_rho, double rho,
                                      const MeanConfig& config) const override;
  std::vector<Event> make_events(const std::vector<MeanColumn>& columns, double size, double rho,
                                 const MeanConfig& config) const override;
  double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                         double rho, const MeanConfig& config) const override;
  std::unique_ptr<MeanEstimation> start(MeanTask task) const override;
};

/// Options of laplace only.
struct LaplaceOptions {
  double gamma = 0;  ///< > 0: clip at mean bound + sqrt(2 ln(2 n / gamma)) stddev
};

/// BoundedGaussian with discrete Laplace noise of epsilon = sqrt(2 rho): epsilon-DP, without a
/// delta.
///
/// With gamma the bounds are those of the mean alone. Numbers are clipped to them widened by
/// sqrt(2 ln(2 n / gamma)) standard deviations, so that none of n normal numbers is clipped except
/// with probability gamma. Cost: discrete_laplace(decay, sensitivity), also for a column with gaps,
/// whose number of values is drawn too, and by weights (counted_laplace_sum). Source:
/// [DworkRoth2014, 3.3]; clip: [RosenblattStoyanovichMusco2024, Sec. 4]. Deviation: the printed
/// clip is [R - sqrt(ln(n / gamma)), R + sqrt(ln(n / gamma))], which maps 0 away from itself and
/// clips some of most tables (docs/theory/published-mistakes.md).
class BoundedLaplace final : public MeanEstimator {
 public:
  const MeanOptions& options() const override;
  std::optional<std::pair<double, double>> public_clip(const MeanColumn& column, double size,
                                                       const MeanConfig& config) const override;
  std::vector<Event> make_events(const std::vector<MeanColumn>& columns, double size, double rho,
                                 const MeanConfig& config) const override;
  double predicted_noise(const std::vector<MeanColumn>& columns, size_t column, double size,
                         double rho, const MeanConfig& config) const override;
  double half_width_in_stddevs(double failure) const override;
  std::unique_ptr<MeanEstimation> start(MeanTask task) const override;
};

/// The number of standard deviations by which gamma widens the bounds of a mean:
/// sqrt(2 ln(2 n / gamma)).
double laplace_margin(double size, double gamma);

}  // namespace equinoise
