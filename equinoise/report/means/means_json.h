// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "equinoise/report/means/means_report.h"

namespace equinoise {

/// The answer of `equinoise means --dry-run`. Publishable.
nlohmann::ordered_json means_plan_to_json(const MeansReport& report);

/// The answer of `equinoise means` and report.json. Publishable, except for "not_private", which is
/// present if the report has an explanation.
nlohmann::ordered_json means_to_json(const MeansReport& report);

/// The reverse: what `equinoise report` makes the page from again. What only the registry's entry
/// needs stays empty. Errors: kInput, naming file and member.
MeansReport means_report_from_json(std::string_view text, std::string_view origin);

}  // namespace equinoise
