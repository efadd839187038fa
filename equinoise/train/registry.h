#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "equinoise/base/method_status.h"
#include "equinoise/train/method.h"

namespace equinoise {

/// One training method. The CLI's list, the conformance suite and the docs check read this table.
struct TrainingMethodRow {
  std::string_view name;
  PrivacyStatus status;
  Maturity maturity;
  std::string_view source;   ///< key in docs/references.bib
  std::string_view summary;  ///< one line
  /// Flags of `equinoise train` that it follows and some other does not, in lists with blanks
  /// between. What a plan refuses by itself (budgets, constraints, groups that overlap) is not
  /// among them.
  std::array<std::string_view, 5> options;
  std::unique_ptr<TrainingMethod> (*make)();

  /// Whether `flag` is among the options.
  bool follows(std::string_view flag) const;
};

std::span<const TrainingMethodRow> training_methods();

/// The row of that name. Errors: kUsage that proposes the nearest name.
const TrainingMethodRow& find_training_method(std::string_view name);

}  // namespace equinoise
