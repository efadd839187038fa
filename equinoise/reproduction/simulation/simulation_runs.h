// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/simulation/simulation_item.h"

namespace equinoise {

/// Returns whether a simulated run has this metric:
/// - "MSPE largest", "MSPE smallest": mean squared prediction errors of the model for groups of the
///   largest or smallest size. For drawn records they are those of the distribution, for a table
///   those of held-out records.
/// - "error largest", "error smallest", "error 1": the same for a logistic model, as expected
///   shares of wrong predictions for targets drawn anew.
/// - "MSPE 1", "residual 1", "standard error 1", "share 1": of the first group, and so on.
///   "residual" is the root of stage one's mean squared residual, "standard error" that over the
///   root of the size, and "share" that of the second stage's budget.
/// - "rho 1": the cost of all of it for a record of the first group, and so on.
bool is_simulation_metric(std::string_view name);

/// Regression of groups with records that are drawn from a distribution or a table. Pre: the
/// arguments outlive it. Errors: kInput (files, a group that the table does not have).
std::unique_ptr<ExperimentRuns> open_simulation_runs(const ItemHeader& item,
                                                     const ReproductionSimulation& simulation,
                                                     const std::filesystem::path& folder);

}  // namespace equinoise
