// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/estimator.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "equinoise/means/estimators/noisy_sum.h"

namespace equinoise {

double normal_half_width(double failure) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), failure / 2));
}

double noise_half_width(const MeanEstimate& estimate, double stddevs) {
  const double of_sum = stddevs * estimate.sum_noise_stddev;
  // A size nearer to 0 than to 1 may be that of an empty stratum: the divisor is then 1, and the
  // interval is infinite. For a sum of weights, which may be any number, this holds below 1 and
  // where noise nearly hides it.
  const double least =
      estimate.is_weighted ? std::max(1.0, kWeightStandsOut * estimate.size_noise) : 0.5;
  const bool may_be_nobody = estimate.size_noise > 0 && !(estimate.size >= least);
  const double divisor = std::max(estimate.size, 1.0);
  const double lost = std::pow(stddevs * estimate.size_noise / divisor, 2);
  if (!(lost < 1) || may_be_nobody) return std::numeric_limits<double>::infinity();
  const double middle = estimate.clip_lower + (estimate.clip_upper - estimate.clip_lower) / 2;
  const double distance = std::fabs(estimate.mean - middle);
  return (distance * lost + std::hypot(of_sum * std::sqrt(1 - lost), distance * std::sqrt(lost))) /
             (1 - lost) +
         estimate.rounding;
}

void settle_noise(MeanEstimate& estimate) {
  const double middle = estimate.clip_lower + (estimate.clip_upper - estimate.clip_lower) / 2;
  const double of_size = std::fabs(estimate.mean - middle) * estimate.size_noise;
  estimate.noise_stddev =
      std::hypot(estimate.sum_noise_stddev, of_size / std::max(estimate.size, 1.0));
  estimate.half_width = noise_half_width(estimate, estimate.half_width_in_stddevs);
}

size_t MeanTask::num_gaps() const {
  return static_cast<size_t>(std::ranges::count_if(columns, &MeanColumn::has_gaps));
}

Event MeanEstimator::size_event(double rho) const {
  return Event::discrete_gaussian(noise_multiplier_of(rho), 1);
}

double MeanEstimator::half_width_in_stddevs(double failure) const {
  return normal_half_width(failure);
}

}  // namespace equinoise
