// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
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
                                              const TrainingConfig& config) const;

  /// Notes which options do something for a method that is compared at a point, whose configuration
  /// is `there`. `takes_one_step`: whatever the number of steps.
  void use(const TrainingMethodRow& row, const TrainingConfig& there, bool takes_one_step);

  /// Errors: kUsage for an option that does nothing for any method and point of use(). `left_out`:
  /// the end of the message, which methods are not compared.
  void require_used(const std::string& left_out) const;

 private:
  struct Option {
    const TrainingOption* option = nullptr;
    std::vector<Setting> values;  ///< of the grid; empty: it was given
    bool is_used = false;
  };

  static bool does_something(const Option& option, const TrainingMethodRow& row,
                             const TrainingConfig& there);

  std::vector<Option> options_;
};

/// Whether a method follows an option that was given for all. The number of steps is no option of
/// a method that has one of its own for it.
bool is_followed(const TrainingMethodRow& row, std::string_view name);

/// The configuration with the options of a point.
TrainingConfig at_point(std::span<const Setting> point, TrainingConfig config);

}  // namespace equinoise
