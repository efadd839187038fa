// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

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
std::vector<WeightedMarginal> drop_hopeless(const Domain& domain,
                                            std::vector<WeightedMarginal> candidates,
                                            double max_distance, double noise_stddev,
                                            double epsilon);

}  // namespace equinoise
