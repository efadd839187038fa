#pragma once

#include <vector>

#include "equinoise/means/estimator.h"

namespace equinoise {

/// The standard deviation, in sensitivities, of Gaussian noise that costs rho; rounded up.
double noise_multiplier_of(double rho);

/// Units on which rounded Gaussian noise of that multiplier stays within what its sampler takes.
double most_units_for_gaussian(double noise_multiplier);

/// What the sampler of rounded Gaussian noise may err in that many draws.
Event sampler_error_event(size_t num_draws);

/// The event of a noisy count of clipped records that costs rho. One record changes it by 1 at
/// most.
Event clipped_count_event(double rho);

/// That count as a share of the records.
double noisy_clipped_fraction(Permit permit, int64_t num_clipped, double size,
                              const MeanConfig& config, RandomSource& source);

/// The middle of the bounds, for a stratum about which nothing is asked.
MeanEstimate estimate_of_nothing(const MeanColumn& column);

}  // namespace equinoise
