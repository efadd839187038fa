// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/train/registry.h"

namespace equinoise {

/// The training method of that name; nullptr if there is none, as items may name methods of papers
/// that are not built.
const TrainingMethodRow* find_built_method(std::string_view name);

}  // namespace equinoise
