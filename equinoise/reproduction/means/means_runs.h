// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/means/means_item.h"

namespace equinoise {

/// What can be reported of a run, errors relative to the records' own means and in percent:
///   "global error"  of the overall mean
///   "group error"   the mean over groups, of what each is told
///   "parity error"  the mean over groups and everybody, means/parity.h
///   "sum of logarithms", "gap closed"  of a curve: E sum ln |G_i|, and how far below that of equal
///       sizes it is, of what lies between these and the most uneven ones
bool is_means_metric(std::string_view name);

/// The same of published means: the errors, kTypicalError and kBeyondBounds.
bool is_published_means_metric(std::string_view name);

/// Means of groups of records that are drawn or of a table. Pre: what it is given outlives it.
/// Errors: kInput (files, columns that the table has not).
std::unique_ptr<ExperimentRuns> open_means_runs(const ItemHeader& item,
                                                const ReproductionMeans& means,
                                                const std::filesystem::path& folder);

}  // namespace equinoise
