// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "equinoise/reproduction/worst_group/grouped_records.h"

namespace equinoise {

/// What a simulated run of phased_erm may depend on; all of it public.
struct SimulatedPhases {
  double phase_step = 0.003;    ///< eta
  double feature_bound = 1;     ///< longer features are scaled down
  double noise_multiplier = 1;  ///< noise over what a record may move a minimiser by
};

/// The last release of methods/phased_erm.h from 0 on, in double precision with seeded noise:
/// floor(log2 n) phases, n the size of the smallest group, each on its part of every group. NOT
/// PRIVATE; nothing is charged.
///
/// Deviation: parts are of each group instead of all records, so that every phase has its share of
/// every group; noise is that of phased_erm all the same. Errors: kUsage for numbers out of range
/// or a group of fewer than 4 records.
std::vector<double> simulate_phased_erm(const GroupedRecords& records, const SimulatedPhases& run,
                                        uint64_t seed);

}  // namespace equinoise
