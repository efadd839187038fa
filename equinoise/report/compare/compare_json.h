// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// The output of `equinoise compare` and compare.json, with notices that it is not private unless
/// the table is public.
nlohmann::ordered_json compare_to_json(const CompareReport& report);

/// The reverse, for the fields that the page shows. Single runs are not read. `origin`: the file's
/// name. Errors: kInput, naming file and member.
CompareReport compare_report_from_json(std::string_view text, std::string_view origin);

}  // namespace equinoise
