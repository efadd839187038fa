// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// What report_to_html() shows of a run, from the text of its report.json, which training_to_json()
/// wrote. Parameters, features and options are not read. `origin`: the file's name. Errors: kInput,
/// naming file and member.
TrainingReport training_report_from_json(std::string_view text, std::string_view origin);

}  // namespace equinoise
