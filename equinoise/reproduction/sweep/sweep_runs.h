// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/sweep/sweep_item.h"

namespace equinoise {

/// What can be told of a run under constraints:
///   "error"           of the test records, in percent
///   "value"           the largest of what constraints bound, without slack, of the test records;
///                     constraints with a rate of nobody do not count
///   "training value"  the same of the training records
///   "all value"       the same of both together, where groups are small
///   "time"            a step's, in milliseconds: of one thread, disturbed by whatever else runs
bool is_sweep_metric(std::string_view name);

/// Whether runs of the method follow a parameter: a slack where it obeys constraints, else an
/// option that it has. The others have one run. A method that is not built is taken to follow it.
bool follows_parameter(const ReproductionMethod& method, const std::string& parameter);

/// Training that constraints judge. Pre: what it is given outlives it. Errors: kInput (files, a
/// constraint that does not fit the table).
std::unique_ptr<ExperimentRuns> open_sweep_runs(const ItemHeader& item,
                                                const ReproductionSweep& sweep,
                                                const std::filesystem::path& folder);

}  // namespace equinoise
