// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/tasks/compare/option_grid.h"
#include "equinoise/train/registry.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// The options that a grid may vary: those of methods, and the number of steps of all.
inline const TrainingOptions& varied_training_options() {
  static const TrainingOptions options = [] {
    TrainingOptions all = training_options();
    for (const TrainingOption& option : shared_options())
      if (option.facts.name == "steps") all.push_back(option);
    return all;
  }();
  return options;
}

/// Whether a method follows an option that was given for all. A method with another option for the
/// number of steps does not follow that for steps.
inline bool is_followed(std::string_view method, std::string_view name) {
  const TrainingMethodRow& row = find_training_method(method);
  return row.follows(name) || (name == "steps" && row.steps_option.empty());
}

/// The scope of a grid of training methods. `config`: the rest of their configuration.
inline GridScope training_scope(const TrainingConfig& config) {
  GridScope scope = grid_scope<TrainingConfig>(
      varied_training_options(), training_methods(), find_training_method,
      [config](std::string_view method) { return find_training_method(method).followed(config); });
  for (const TrainingOption& option : shared_options())
    if (option.facts.name != "steps") scope.shared.emplace_back(option.facts.name);
  scope.follows = is_followed;
  return scope;
}

}  // namespace equinoise
