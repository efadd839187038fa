// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/simulation/simulation_item.h"

namespace equinoise {

/// What can be reported of a simulated run:
///   "MSPE largest", "MSPE smallest"  mean squared prediction errors of the model that groups of
///   the
///       largest or smallest size are given: of drawn records those of the distribution, of a table
///       those of held-out records
///   "error largest", "error smallest", "error 1"  the same of a logistic model: shares of wrong
///       predictions that are expected of targets drawn anew
///   "MSPE 1", "residual 1", "standard error 1", "share 1"  of the first group, and so on: also the
///       root of stage one's mean squared residual, that over the root of the size, and the share
///       of the second stage's budget
///   "rho 1"  what all of it costs a record of the first group, and so on
bool is_simulation_metric(std::string_view name);

/// Regression of groups whose records are drawn from a distribution or a table. Pre: what it is
/// given outlives it. Errors: kInput (files, a group that the table has not).
std::unique_ptr<ExperimentRuns> open_simulation_runs(const ItemHeader& item,
                                                     const ReproductionSimulation& simulation,
                                                     const std::filesystem::path& folder);

}  // namespace equinoise
