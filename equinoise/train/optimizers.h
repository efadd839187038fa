// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace equinoise {

/// One rule of OptimizerConfig. The CLI and checks of configurations read this table.
struct OptimizerRow {
  std::string_view name;
  std::vector<std::string_view> options;  ///< of step_options(), those that it alone follows
  double default_learning_rate;           ///< that suits many tasks
  size_t numbers_per_parameter;           ///< that it keeps from step to step

  /// Whether an option of that name is among them.
  bool follows(std::string_view option) const;
};

std::span<const OptimizerRow> optimizers();

}  // namespace equinoise
