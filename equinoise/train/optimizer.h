// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/option_value.h"

namespace equinoise {

/// The rule that turns released gradients into steps. Parameters have the meaning of torch: no
/// dampening, no Nesterov, no weight decay. Post-processing of noisy sums.
struct OptimizerConfig {
  std::string name = "sgd";  ///< "sgd", "momentum", "adam"
  double momentum = 0.9;
  double beta1 = 0.9;  ///< of adam's first moment
  double beta2 = 0.999;
  double adam_epsilon = 1e-8;  ///< added to the root of the second moment

  friend bool operator==(const OptimizerConfig&, const OptimizerConfig&) = default;
};

/// One rule of OptimizerConfig. The CLI and checks of configurations read this table.
struct OptimizerRow {
  std::string_view name;
  double default_learning_rate;  ///< suits many tasks
  size_t numbers_per_parameter;  ///< kept from step to step
};

std::span<const OptimizerRow> optimizers();

/// A learning rate that suits many tasks.
double default_learning_rate(const OptimizerConfig& config);

/// The parameters of the rule of that name: ("momentum", 0.9).
NamedFigures optimizer_settings(const OptimizerConfig& config);

/// The number of values that a rule keeps from step to step, all 0 before the first one.
size_t optimizer_state_size(const OptimizerConfig& config, size_t num_parameters);

/// Step `step` (0, 1, ...) of `config`, for the gradient scale * sum. `state`: the values that the
/// rule keeps. Sum is int64_t or double.
template <typename Sum>
void take_step(const OptimizerConfig& config, int64_t step, double learning_rate, double scale,
               std::span<const Sum> sum, std::span<double> parameters, std::span<double> state);

}  // namespace equinoise
