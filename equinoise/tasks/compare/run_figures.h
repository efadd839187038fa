// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "equinoise/report/compare/compare_report.h"

namespace equinoise {

/// Sets a run's figures of the worst group and of the gap between groups.
void set_group_figures(std::span<const CompareGroup> groups, CompareRun& run);

/// The part of a run that is kept.
nlohmann::ordered_json run_to_json(const CompareRun& run);

/// The reverse, with the errors by that metric ("": the only one) and without the figures of
/// set_group_figures. Errors: nlohmann's exception.
CompareRun run_from_json(const nlohmann::ordered_json& json, const std::string& metric);

}  // namespace equinoise
