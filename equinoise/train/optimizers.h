// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace equinoise {

/// One rule of OptimizerConfig. The CLI and checks of configurations read this table.
struct OptimizerRow {
  std::string_view name;
  double default_learning_rate;  ///< that suits many tasks
  size_t numbers_per_parameter;  ///< that it keeps from step to step
};

std::span<const OptimizerRow> optimizers();

}  // namespace equinoise
