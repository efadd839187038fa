// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "equinoise/train/method.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// One training method. The CLI's list, the conformance suite and the docs check read this table.
struct TrainingMethodRow : MethodTraits {
  std::unique_ptr<TrainingMethod> (*make)();

  const TrainingOptions& options() const { return make()->options(); }

  /// Whether the method follows an option of that name.
  bool follows(std::string_view option) const;

  /// The configuration with the options that the method does not follow reset to their defaults.
  TrainingConfig followed(TrainingConfig config) const;
};

/// Checks that options of other methods have their defaults. Options that nearly all methods follow
/// (batch, steps, learning rates, clip) may be set for a method that ignores them. Errors: kUsage,
/// naming `where`, the option and the methods that use it.
void check_followed(std::string_view where, const TrainingMethodRow& row,
                    const TrainingConfig& config);

std::span<const TrainingMethodRow> training_methods();

/// The options of all methods, each once, in order of first appearance in the rows.
const TrainingOptions& training_options();

/// The row of that name. Errors: kUsage that proposes the nearest name.
const TrainingMethodRow& find_training_method(std::string_view name);

}  // namespace equinoise
