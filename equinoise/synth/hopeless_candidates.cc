// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/hopeless_candidates.h"

#include <algorithm>
#include <cmath>

#include "equinoise/synth/fit.h"

namespace equinoise {

std::vector<WeightedMarginal> drop_hopeless(const Domain& domain,
                                            std::vector<WeightedMarginal> candidates,
                                            double max_distance, double noise_stddev,
                                            double epsilon) {
  const auto penalty = [&](const WeightedMarginal& candidate) {
    return noise_l1(noise_stddev, domain.num_cells(candidate.attributes));
  };
  double largest_weight = 0;
  double best_low = -HUGE_VAL;
  for (const WeightedMarginal& candidate : candidates) {
    largest_weight = std::max(largest_weight, candidate.weight);
    best_low = std::max(best_low, -candidate.weight * penalty(candidate));
  }
  // exp(-40) is below 1e-17.
  const double margin = 40 * 2 * largest_weight / epsilon;
  std::erase_if(candidates, [&](const WeightedMarginal& candidate) {
    return candidate.weight * (max_distance - penalty(candidate)) < best_low - margin;
  });
  return candidates;
}

}  // namespace equinoise
