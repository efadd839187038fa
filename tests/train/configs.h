// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "equinoise/train/plan.h"

namespace equinoise::testing {

/// The usual settings with a budget.
inline TrainingConfig budget_config(double epsilon, double delta = 1e-6) {
  TrainingConfig config;
  config.epsilon = epsilon;
  config.delta = delta;
  return config;
}

/// The usual settings with so many steps; no noise where none is said.
inline TrainingConfig stepwise_config(double batch_size, int64_t num_steps,
                                      std::optional<double> noise_multiplier = {}) {
  TrainingConfig config;
  config.batch_size = batch_size;
  config.num_steps = num_steps;
  config.noise_multiplier = noise_multiplier;
  return config;
}

}  // namespace equinoise::testing
