#pragma once

#include <string>

#include "equinoise/report/means_report.h"

namespace equinoise {

/// What a release of means will cost, and the noise to be expected. For terminals.
std::string means_plan_to_text(const MeansReport& report);

/// The released means for terminals. NOT PUBLISHABLE if the report has an explanation; it says so.
std::string means_to_text(const MeansReport& report);

}  // namespace equinoise
