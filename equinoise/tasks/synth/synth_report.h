// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "equinoise/tasks/synth/synth.h"

namespace equinoise {

/// What a run will cost and how large its models are: publishable facts only.
nlohmann::ordered_json synth_plan_to_json(const SynthReport& report);
std::string synth_plan_to_text(const SynthReport& report);

/// The answer of `equinoise synth` and report.json. What is not private in it is marked.
nlohmann::ordered_json synth_to_json(const SynthReport& report);
std::string synth_to_text(const SynthReport& report);

/// report.html.
std::string synth_to_html(const SynthReport& report);

}  // namespace equinoise
