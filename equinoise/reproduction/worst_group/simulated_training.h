// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "equinoise/reproduction/worst_group/grouped_records.h"

namespace equinoise {

/// What a simulated run does.
enum class SimulatedTraining {
  kDpSgd,       ///< DP-SGD on the mean of all records
  kBalanced,    ///< the same with groups that count alike
  kMgrW,        ///< methods/mgr_w.h
  kMgr,         ///< methods/mgr.h
  kMgrLaplace,  ///< the same with Laplace noise on losses, as printed
  kAgsGumbel,   ///< methods/ags.h
  kAgsLaplace,  ///< the same with the largest of losses with Laplace noise
  kPhasedErm,   ///< simulated_phases.h
  kOcoExp3,     ///< simulated_bandit.h
};

/// Errors: kUsage for an unknown name: dpsgd, balanced, mgr_w, mgr,
/// mgr_laplace, ags, ags_laplace, phased_erm, oco_exp3.
SimulatedTraining parse_simulated_training(std::string_view name);

/// What a run may depend on; all of it public. phased_erm has the learning rate as its phase_step,
/// feature_bound and gradient_multiplier alone, oco_exp3 the rates, as those of SimulatedBandit,
/// both bounds and gradient_multiplier.
struct SimulatedRun {
  SimulatedTraining training = SimulatedTraining::kMgrW;
  double sample_rate = 0.2;
  int64_t num_steps = 200;
  double learning_rate = 3;
  double group_learning_rate = 0.1;
  double max_grad_norm = 1;
  double loss_bound = 2;
  double feature_bound = 1;
  double gradient_multiplier = 1;  ///< noise over what a record adds to a sum of gradients
  double loss_multiplier = 1;      ///< the same of losses; 2 / epsilon of a choice
  /// Numbers in [0, 1) by which groups are drawn one after another; empty: those of the seed.
  std::function<double()> draw_group = {};
};

/// The mean of the last half of the iterates from 0 on, or what phased_erm and oco_exp3 return, as
/// the methods train, in double precision with seeded noise. NOT PRIVATE; nothing is charged.
/// Errors: kUsage for numbers out of range.
std::vector<double> simulate_training(const GroupedRecords& records, const SimulatedRun& run,
                                      uint64_t seed);

/// The parameters that minimise the mean loss of all records, or the largest mean loss of any group
/// to within 1e-4 (a regularised maximum of so little curvature). NOT PRIVATE.
std::vector<double> best_on_average(const GroupedRecords& records);
std::vector<double> best_for_worst_group(const GroupedRecords& records);

}  // namespace equinoise
