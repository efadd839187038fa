#pragma once

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
  std::unique_ptr<TrainingMethod> (*make)();
};

std::span<const TrainingMethodRow> training_methods();

/// The row of that name. Errors: kUsage that proposes the nearest name.
const TrainingMethodRow& find_training_method(std::string_view name);

}  // namespace equinoise
