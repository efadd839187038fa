// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/training/built_method.h"

#include <algorithm>

namespace equinoise {

const TrainingMethodRow* find_built_method(std::string_view name) {
  const auto rows = training_methods();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const TrainingMethodRow& one) { return one.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace equinoise
