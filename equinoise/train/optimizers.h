#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace equinoise {

/// One rule of OptimizerConfig. The CLI and checks of configurations read this table.
struct OptimizerRow {
  std::string_view name;
  std::string_view options;      ///< flags of `equinoise train` that it alone follows
  double default_learning_rate;  ///< that suits many tasks
  size_t numbers_per_parameter;  ///< that it keeps from step to step

  /// Whether `flag` is among the options.
  bool follows(std::string_view flag) const;
};

std::span<const OptimizerRow> optimizers();

}  // namespace equinoise
