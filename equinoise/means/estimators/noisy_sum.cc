#include "equinoise/means/estimators/noisy_sum.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/mechanisms/discrete_gaussian.h"
#include "equinoise/privacy/random/gaussian.h"

namespace equinoise {

namespace {

/// More than the rounding of a root, a quotient and of what accountants make of them.
constexpr double kRelativeRounding = 1e-12;

}  // namespace

double noise_multiplier_of(double rho) {
  check_positive("means", "rho", rho);
  return round_up(1 / std::sqrt(2 * rho), kRelativeRounding);
}

double most_units_for_gaussian(double noise_multiplier) {
  return std::clamp(0.25 * kMaxGaussianStddev / noise_multiplier, 1.0, kMostUnits);
}

Event sampler_error_event(size_t num_draws) {
  return Event::sampler_error(static_cast<double>(num_draws) * kGaussianDrawError);
}

Event clipped_count_event(double rho) {
  return Event::discrete_gaussian(noise_multiplier_of(rho), 1);
}

double noisy_clipped_fraction(Permit permit, int64_t num_clipped, double size,
                              const MeanConfig& config, RandomSource& source) {
  add_discrete_gaussian_noise(std::move(permit), {1, Norm::kL1, config.relation}, {&num_clipped, 1},
                              source);
  return std::clamp(static_cast<double>(num_clipped) / size, 0.0, 1.0);
}

MeanEstimate estimate_of_nothing(const MeanColumn& column) {
  const double half = (column.upper - column.lower) / 2;
  return {column.lower + half, half, half, column.lower, column.upper, {}};
}

}  // namespace equinoise
