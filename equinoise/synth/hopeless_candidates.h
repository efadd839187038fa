// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/synth/workload.h"

namespace equinoise {

/// The candidates that can be chosen at all where marginals are scored by how far a model is off
/// less what noise alone would be, weight * (distance - noise_l1), and chosen by an exponential
/// mechanism with `epsilon`.
///
/// A distance is from 0 to `most_distance`, so a score has known bounds. What cannot come near the
/// best of the lower bounds would be chosen with probability below 1e-17 and is left out. Public:
/// the rule looks at no record, `most_distance` must follow from public facts and releases.
std::vector<WeightedMarginal> drop_hopeless(const Domain& domain,
                                            std::vector<WeightedMarginal> candidates,
                                            double most_distance, double noise_stddev,
                                            double epsilon);

}  // namespace equinoise
