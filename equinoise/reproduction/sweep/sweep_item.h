// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/train/plan.h"

namespace equinoise {

/// Runs under rate constraints, for one value of a parameter after another.
struct ReproductionSweep {
  std::string model;      ///< models/registry.h
  double batch_size = 0;  ///< the mean one
  std::string parameter;  ///< "slack" of the constraint, or "max_grad_norm"
  std::vector<double> values;
  std::string constraint;  ///< as on the command line; {} stands for the slack, where that is swept
  double test_fraction = 0.25;
  std::vector<std::string> metrics;     ///< is_sweep_metric()
  std::vector<TrainingConfig> configs;  ///< (methods)
};

}  // namespace equinoise
