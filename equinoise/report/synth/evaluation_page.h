// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/report/page/document.h"
#include "equinoise/report/synth/evaluation_report.h"

namespace equinoise {

/// The report of `equinoise synth evaluate`: page and screen. CONTAINS NON-PRIVATE STATISTICS.
Document evaluation_document(const SynthEvaluateReport& report);

}  // namespace equinoise
