// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "equinoise/base/option_value.h"
#include "equinoise/tasks/compare/compare.h"
#include "equinoise/train/registry.h"

namespace equinoise {

/// Options that were given once, or with several values, for whatever methods follow them.
class OptionGrid {
 public:
  /// Errors: kUsage for a name that no option has (with the nearest), one that is given twice, a
  /// value that the option does not take or that is repeated, and options that exclude each other.
  OptionGrid(std::span<const GridOption> grid, std::span<const std::string> given);

  /// The points of the grid for a method whose configuration is `config` without them: every
  /// combination of the options that it follows, without those that do nothing there.
  std::vector<std::vector<Setting>> points_of(const TrainingMethodRow& row,
                                              const TrainingConfig& config);

  /// Errors: kUsage for an option that does nothing at any point asked for so far.
  void require_used() const;

 private:
  struct Option {
    const TrainingOption* option = nullptr;
    std::vector<Setting> values;  ///< of the grid; empty: it was given
    bool is_used = false;
  };

  std::vector<Option> options_;
};

/// The configuration with the options of a point.
TrainingConfig at_point(std::span<const Setting> point, TrainingConfig config);

}  // namespace equinoise
