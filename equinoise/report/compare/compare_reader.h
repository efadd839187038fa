// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// What compare_to_html() shows of a comparison, from the text of its compare.json, which
/// compare_to_json() wrote. Single runs are not read. `origin`: the file's name. Errors: kInput,
/// naming file and member.
CompareReport compare_report_from_json(std::string_view text, std::string_view origin);

}  // namespace equinoise
