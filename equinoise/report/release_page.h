// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/report/page/document.h"
#include "equinoise/report/release_report.h"

namespace equinoise {

/// The guarantee and what it protects, in sentences.
std::vector<std::string> release_lead(const ReleaseReport& report);

/// How strong the privacy is, for decision makers; "" without a guarantee.
std::string strength_line(const ReleaseReport& report);

/// The rounding of a column's numbers, as a part of a sentence.
std::string rounding_text(const NumberRounding& rounding);

/// What records count for, what is `released` by that and by what noise is predicted; none where
/// each counts as 1.
std::vector<std::string> record_weights_items(const std::optional<RecordWeights>& weights,
                                              std::string_view released);

inline constexpr const char* kWeightedMeans =
    "the noisy sum of weights is released together with the weighted sum";

inline constexpr const char* kNoPrivacyLine =
    "Privacy: none. Nothing here may leave the house, unless the table is public.";

}  // namespace equinoise
