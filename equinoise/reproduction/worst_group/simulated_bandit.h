// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "equinoise/reproduction/worst_group/grouped_records.h"

namespace equinoise {

/// What a simulated run of oco_exp3 may depend on; all of it public.
struct SimulatedBandit {
  double learning_rate = 1;        ///< over the root of the number of steps
  double group_learning_rate = 1;  ///< the same, over loss_bound
  double exploration = 0.1;        ///< share of draws in which groups count alike
  double max_grad_norm = 1;
  double loss_bound = 2;
  double noise_multiplier = 1;              ///< of all that is told of one record
  std::function<double()> draw_group = {};  ///< as that of SimulatedRun
};

/// The mean of the iterates of methods/oco_exp3.h from 0 on with a tree, in double precision with
/// seeded noise: as many steps as there are pairs of records, ended when the group that was drawn
/// has no pair left. NOT PRIVATE; nothing is charged. Errors: kUsage for numbers out of range or
/// fewer than two records.
std::vector<double> simulate_oco_exp3(const GroupedRecords& records, const SimulatedBandit& run,
                                      uint64_t seed);

}  // namespace equinoise
