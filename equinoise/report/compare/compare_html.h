// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// A page that needs nothing but itself: what was compared and what is recommended, all rows, which
/// of them are the frontier, who pays, and what was not compared. NOT PRIVATE.
std::string compare_to_html(const CompareReport& report);

}  // namespace equinoise
