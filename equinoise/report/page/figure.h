// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "equinoise/report/page/svg.h"

namespace equinoise {

/// A figure of a page: a static drawing, and the data that script/ draws it from again, to be
/// pointed at, where scripts run.
struct Figure {
  std::string style;    ///< its class
  std::string kind;     ///< which of the renderers of script/renderers.js draws it
  std::string caption;  ///< markup
  std::string drawing;  ///< markup that is complete without the script
  nlohmann::json data;  ///< what that renderer takes; a number that is none becomes null
};

/// The `<figure>`.
std::string html_figure(const Figure& figure);

/// Whether there is a figure in the markup, so that a page of it needs the script.
bool has_figure(std::string_view markup);

/// {"low", "high", "is_logarithmic", "ticks": [{"at", "label"}]}; of a logarithmic axis the ends
/// are values, as ticks are.
nlohmann::json axis_data(const Axis& axis);

}  // namespace equinoise
