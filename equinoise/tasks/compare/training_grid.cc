// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/compare/training_grid.h"

#include "equinoise/train/registry.h"

namespace equinoise {

const TrainingOptions& varied_training_options() {
  static const TrainingOptions options = [] {
    TrainingOptions all = training_options();
    for (const TrainingOption& option : shared_options())
      if (option.facts.name == "steps") all.push_back(option);
    return all;
  }();
  return options;
}

bool is_followed(std::string_view method, std::string_view name) {
  const TrainingMethodRow& row = find_training_method(method);
  return row.follows(name) || (name == "steps" && row.steps_option.empty());
}

GridScope training_scope(const TrainingConfig& config) {
  GridScope scope = grid_scope<TrainingConfig>(
      varied_training_options(), training_methods(), find_training_method,
      [config](std::string_view method) { return find_training_method(method).followed(config); });
  for (const TrainingOption& option : shared_options())
    if (option.facts.name != "steps") scope.shared.emplace_back(option.facts.name);
  scope.follows = is_followed;
  return scope;
}

}  // namespace equinoise
