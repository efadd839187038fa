// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/train/plan.h"

namespace equinoise {

inline constexpr const char* kSlackParameter = "slack";

/// The parameter that a method's runs vary.
struct SweptMethod {
  std::string parameter;  ///< kSlackParameter of the constraint, or an option of training methods
  std::vector<double> values;
  std::vector<TrainingConfig> configs;  ///< (values); a varied slack is in the constraint instead
};

/// Runs that are evaluated by a constraint, for one value of a parameter after another.
struct ReproductionSweep {
  std::string model;       ///< models/registry.h
  double batch_size = 0;   ///< on average
  std::string parameter;   ///< of methods that name no parameter
  std::string constraint;  ///< as on the command line; {} is replaced by a varied slack
  double test_fraction = 0.25;
  std::vector<std::string> metrics;  ///< is_sweep_metric()
  std::vector<double> levels;        ///< of disparity, at which trade-off curves are read
  std::vector<SweptMethod> methods;
};

}  // namespace equinoise
