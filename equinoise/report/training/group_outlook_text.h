// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "equinoise/report/page/text_table.h"
#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// What each strategy gives the groups, and what it costs them.
TextTable outlook_table(const TrainingReport& report);

/// What `equinoise plan --per-group` adds.
std::string outlook_to_text(const TrainingReport& report);

}  // namespace equinoise
