// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "equinoise/synth/graph/graphical_model.h"

namespace equinoise {

/// The complete model, with "kind" and "version"; an impossible cell is null.
nlohmann::ordered_json graphical_model_to_json(const GraphicalModel& model);

}  // namespace equinoise
