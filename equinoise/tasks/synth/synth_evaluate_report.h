// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "equinoise/tasks/synth/synth_evaluate.h"

namespace equinoise {

/// The answer of `equinoise synth evaluate`. NOT PRIVATE, and both forms say so.
nlohmann::ordered_json synth_evaluate_to_json(const SynthEvaluateRequest& request,
                                              const SynthEvaluateReport& report);
std::string synth_evaluate_to_text(const SynthEvaluateRequest& request,
                                   const SynthEvaluateReport& report);

}  // namespace equinoise
