// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// A line for each run and group, and one with an empty group for all held-out records of each run.
/// Undefined values are empty cells. NOT PRIVATE.
std::string compare_to_csv(const CompareReport& report);

}  // namespace equinoise
