// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/means/means_item.h"

namespace equinoise {

/// Returns whether a run has this metric. Errors are relative to the records' own means and in
/// percent:
/// - "global error": of the overall mean
/// - "group error": the mean over groups, for the reported mean of each
/// - "parity error": the mean over groups and the population, means/parity.h
/// - "sum of logarithms", "gap closed": of a curve, E sum ln |G_i|, and how far it is below that of
///   equal sizes, relative to the gap between these and the most uneven ones
bool is_means_metric(std::string_view name);

/// Returns whether a run of published means has this metric: the errors, kTypicalError and
/// kBeyondBounds.
bool is_published_means_metric(std::string_view name);

/// Means of groups of records that are drawn or of a table. Pre: the arguments outlive it. Errors:
/// kInput (files, columns that the table does not have).
std::unique_ptr<ExperimentRuns> open_means_runs(const ItemHeader& item,
                                                const ReproductionMeans& means,
                                                const std::filesystem::path& folder);

}  // namespace equinoise
