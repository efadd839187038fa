// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/means/means_report.h"

namespace equinoise {

/// The released figures as CSV (RFC 4180), one line each: what it is of ("" for the overall mean),
/// which statistic, the estimate, the ends of its 95 % interval and the standard deviation of its
/// noise. Publishable; cells that are not released are empty.
std::string means_to_csv(const MeansReport& report);

}  // namespace equinoise
