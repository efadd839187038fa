// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equinoise/report/means/means_report.h"

namespace equinoise {

/// What the overall mean of a column weighs strata by.
std::string weights_of(const MeansReport& report, size_t column);

/// What the rounding of a column's numbers is, as a part of a sentence.
std::string rounding_text(const NumberRounding& rounding);

/// What records count for, what that costs and by what noise is predicted; "" where each counts
/// as 1.
std::string record_weights_line(const std::optional<RecordWeights>& weights);

/// That records whose shares are weights are not protected; "" where there are none.
std::string weights_line(const std::optional<HeldOutRecords>& held_out);

/// What a release of means will cost, and the noise to be expected. For terminals.
std::string means_plan_to_text(const MeansReport& report);

/// The released means for terminals. NOT PUBLISHABLE if the report has an explanation; it says so.
std::string means_to_text(const MeansReport& report);

}  // namespace equinoise
