// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// A line for each run and group, and one for all held-out records of each run, whose group is
/// empty. What is undefined is an empty cell. NOT PRIVATE.
std::string compare_to_csv(const CompareReport& report);

}  // namespace equinoise
