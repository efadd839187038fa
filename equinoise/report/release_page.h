// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/report/page/document.h"
#include "equinoise/report/release_report.h"

namespace equinoise {

/// The guarantee and what it protects, in sentences.
std::vector<std::string> release_lead(const ReleaseReport& report);

/// How strong the privacy is, for decision makers; "" without a guarantee.
std::string strength_line(const ReleaseReport& report);

inline constexpr const char* kNoPrivacyLine =
    "Privacy: none. Nothing here may leave the house, unless the table is public.";

}  // namespace equinoise
