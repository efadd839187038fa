// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace equinoise {

/// A mean over strata and the standard deviation of its noise.
struct WeightedMean {
  double mean = 0;
  double noise_stddev = 0;
};

/// size / sum of sizes. Pre: one size is > 0.
std::vector<double> weights_of_sizes(std::span<const double> sizes);

/// sum weights[k] estimates[k], with independent noises. With the shares of the records as weights
/// it is as unbiased as the estimates are. [RosenblattStoyanovichMusco2024, Eq. (2)]
WeightedMean combine_strata(std::span<const double> estimates,
                            std::span<const double> noise_stddevs, std::span<const double> weights);

/// Checks weights. Errors: kUsage, with the sum, unless there is one finite weight >= 0 for each
/// stratum and they add up to 1 within 1e-6.
void check_stratum_weights(std::span<const double> weights, size_t num_strata);

}  // namespace equinoise
