// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "equinoise/reproduction/figures.h"
#include "equinoise/tasks/runs/kept_runs.h"

namespace equinoise {

/// How runs of an item are kept. `identity`: what makes them the same. `is_drawn`: the records are
/// nobody's.
KeptRunsHeader kept_outcomes(nlohmann::ordered_json identity, bool is_drawn);

/// `series` says what the points are, where runs of one file may tell of different ones; else "".
nlohmann::ordered_json key_of_run(const std::string& method, uint64_t seed,
                                  const std::string& series);

nlohmann::ordered_json outcome_to_json(const ReproductionOutcome& outcome);

/// Errors: nlohmann's exception for what is no outcome.
ReproductionOutcome outcome_from_json(const nlohmann::ordered_json& json);

}  // namespace equinoise
