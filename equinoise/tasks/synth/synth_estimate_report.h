// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "equinoise/tasks/synth/synth_estimate.h"

namespace equinoise {

/// What `equinoise synth estimate` prints and writes. A figure that there is not is null, "-" or
/// an empty cell, with the reason.
nlohmann::ordered_json synth_estimate_to_json(const SynthEstimateReport& report);
std::string synth_estimate_to_csv(const SynthEstimateReport& report);
std::string synth_estimate_to_text(const SynthEstimateReport& report);

}  // namespace equinoise
