// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/reproduction/report.h"

namespace equinoise {

/// One metric of all methods: published figures above, ours below. "" where none is published.
std::string comparison_chart(const ReproductionReport& report, const std::string& metric,
                             size_t number);

/// One drawing for each method and each two columns of its curves, which belong together.
std::string curve_charts(const ReproductionReport& report);

/// The charts that the item requests.
std::string chosen_charts(const ReproductionReport& report);

}  // namespace equinoise
