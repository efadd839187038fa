// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "equinoise/synth/fit.h"
#include "equinoise/synth/workload.h"

namespace equinoise {

/// The candidates that have a chance to be chosen. Marginals are scored by the model's distance
/// minus that of noise alone, weight * (distance - noise_l1), and chosen by an exponential
/// mechanism with `epsilon`.
///
/// A distance is from 0 to `max_distance`, so a score has known bounds. A candidate is left out if
/// its upper bound is so far below the best lower bound that it would be chosen with probability
/// below 1e-17. Public: the rule reads no record; `max_distance` must follow from public facts and
/// releases.
inline std::vector<WeightedMarginal> drop_hopeless(const Domain& domain,
                                                   std::vector<WeightedMarginal> candidates,
                                                   double max_distance, double noise_stddev,
                                                   double epsilon) {
  const auto penalty = [&](const WeightedMarginal& candidate) {
    return noise_l1(noise_stddev, domain.num_cells(candidate.attributes));
  };
  double best_low = -HUGE_VAL;
  for (const WeightedMarginal& candidate : candidates)
    best_low = std::max(best_low, -candidate.weight * penalty(candidate));
  // exp(-40) is below 1e-17.
  const double margin = 40 * 2 * largest_weight(candidates) / epsilon;
  std::erase_if(candidates, [&](const WeightedMarginal& candidate) {
    return candidate.weight * (max_distance - penalty(candidate)) < best_low - margin;
  });
  return candidates;
}

}  // namespace equinoise
