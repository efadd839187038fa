// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "equinoise/report/synth/evaluation_report.h"

namespace equinoise {

/// The answer of `equinoise synth evaluate` and its report.json: CONTAINS NON-PRIVATE STATISTICS.
nlohmann::ordered_json evaluation_to_json(const SynthEvaluateReport& report);

/// The reverse. `origin`: the file's name. Errors: kInput that names it and the member.
SynthEvaluateReport evaluation_from_json(std::string_view text, std::string_view origin);

}  // namespace equinoise
