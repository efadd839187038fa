// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// {"rows": [{"method", "options", "epsilon", "overall", "worst_group", "gap", "violation",
/// "weakest_privacy", "public_groups", "dominated", ...}], "recommended", ...}; what is undefined
/// is null. Notices that it is not private stand there unless the table is public.
nlohmann::ordered_json compare_to_json(const CompareReport& report);

/// The options by their names.
nlohmann::ordered_json options_to_json(const std::vector<Setting>& options);

}  // namespace equinoise
