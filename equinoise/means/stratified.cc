// SPDX-License-Identifier: Apache-2.0
#include "equinoise/means/stratified.h"

#include <cmath>
#include <numeric>

#include "equinoise/base/check.h"

namespace equinoise {

std::vector<double> weights_of_sizes(std::span<const double> sizes) {
  const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  std::vector<double> weights;
  for (const double size : sizes) weights.push_back(size / total);
  return weights;
}

WeightedMean combine_strata(std::span<const double> estimates,
                            std::span<const double> noise_stddevs,
                            std::span<const double> weights) {
  // Sums distances to the first estimate, so that a large common offset is not rounded in each
  // term.
  WeightedMean result{estimates.empty() ? 0 : estimates[0], 0};
  double distance = 0;
  double variance = 0;
  for (size_t k = 0; k < estimates.size(); ++k) {
    distance += weights[k] * (estimates[k] - result.mean);
    variance += weights[k] * weights[k] * noise_stddevs[k] * noise_stddevs[k];
  }
  result.mean += distance;
  result.noise_stddev = std::sqrt(variance);
  return result;
}

void check_stratum_weights(std::span<const double> weights, size_t num_strata) {
  constexpr const char* kWhere = "means.weights";
  constexpr double kTolerance = 1e-6;
  if (weights.size() != num_strata) {
    throw Error(ErrorKind::kUsage, kWhere, "there must be one weight for each of {} strata, got {}",
                num_strata, weights.size());
  }
  for (const double weight : weights) check_non_negative(kWhere, "weight of a stratum", weight);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(std::fabs(sum - 1) <= kTolerance)) {
    throw Error(ErrorKind::kUsage, kWhere,
                "the weights of the strata must add up to 1, got {:.9g}; divide each "
                "by their sum",
                sum);
  }
}

}  // namespace equinoise
