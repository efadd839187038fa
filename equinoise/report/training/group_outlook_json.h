// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "equinoise/report/training/training_report.h"

namespace equinoise {

/// What `equinoise plan --per-group` adds to a plan.
nlohmann::ordered_json outlook_of(const TrainingReport& report);

/// That of `equinoise plan --per-group` where epsilon is sought: nothing else is planned.
nlohmann::ordered_json outlook_to_json(const TrainingReport& report);

}  // namespace equinoise
