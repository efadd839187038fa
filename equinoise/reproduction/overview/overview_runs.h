// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/overview/overview_item.h"

namespace equinoise {

/// Pearson's correlation of two lists of equal length; NaN if either has one value only.
double correlation_of(std::span<const double> a, std::span<const double> b);

/// Views parts of a table, one for each seed. Points of a column with bins are shares in percent at
/// the middles of bins. Points of another column are correlations with the columns of correlated(),
/// at their positions from 1. Values are of both groups and of all. NOT PRIVATE. Pre: the arguments
/// outlive it. Errors: kInput (files, a column that the table does not have, or without numbers).
std::unique_ptr<ExperimentRuns> open_overview_runs(const ItemHeader& item,
                                                   const ReproductionOverview& overview,
                                                   const std::filesystem::path& folder);

}  // namespace equinoise
