// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/tasks/synth/synth_evaluate.h"

namespace equinoise {

/// The report of `equinoise synth evaluate` as a page that stands alone, without scripts. NOT
/// PRIVATE, and it says so.
std::string synth_evaluate_to_html(const SynthEvaluateRequest& request,
                                   const SynthEvaluateReport& report);

}  // namespace equinoise
