// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "equinoise/reproduction/figures.h"
#include "equinoise/tasks/runs/kept_runs.h"

namespace equinoise {

/// The header of the file that keeps an item's runs. `identity`: the facts that make runs the same.
/// `is_drawn`: the records belong to nobody.
KeptRunsHeader kept_outcomes(nlohmann::ordered_json identity, bool is_drawn);

/// `series` names the kind of the points, if runs of one file may have several; else "".
nlohmann::ordered_json key_of_run(const std::string& method, uint64_t seed,
                                  const std::string& series);

nlohmann::ordered_json outcome_to_json(const ReproductionOutcome& outcome);

/// Errors: nlohmann's exception for JSON that is no outcome.
ReproductionOutcome outcome_from_json(const nlohmann::ordered_json& json);

}  // namespace equinoise
