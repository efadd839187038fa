// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// report.html of `equinoise train`: one self-contained page without links to elsewhere.
/// CONTAINS NON-PRIVATE STATISTICS, and says so, section by section.
std::string report_to_html(const TrainingReport& report);

}  // namespace equinoise
