// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "equinoise/synth/graph/graphical_model.h"

namespace equinoise {

/// The version of graphical_model_to_json()'s output.
inline constexpr int kGraphicalModelVersion = 1;

/// The complete model, with "kind" and "version"; an impossible cell is null.
nlohmann::ordered_json graphical_model_to_json(const GraphicalModel& model);

/// Parses the text of such a model. Errors: kInput that names `origin` and the mistake: not JSON
/// (with its place), another version, a missing or wrong key, tables that do not fit the
/// attributes, every record impossible.
GraphicalModel parse_graphical_model(std::string_view text, std::string_view origin);

}  // namespace equinoise
