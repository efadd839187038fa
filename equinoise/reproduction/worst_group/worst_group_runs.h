// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/worst_group/worst_group_item.h"

namespace equinoise {

/// What can be told of a method in a cell:
///   "excess"         the largest mean loss of any group on the training records, less the least
///                    possible
///   "test loss"      the largest mean loss of any group on other records
///   "test error"     the largest error of any group on them
///   "overall error"  the error of all of them
///   "epsilon"        what the run would cost were it paid for, by pld
bool is_worst_group_metric(std::string_view name);

/// Worst-group risk of registered methods, unpaid, on drawn problems or on a table. Models are
/// logistic, with an intercept. A drawn problem has equal groups, features on
/// the unit sphere and labels with logit 3 sqrt(d) <w_i, x>, w_i = u but for the first group, whose
/// is -0.3 u + 0.95 v, u and v orthonormal. Rates of learning are those with the least mean excess
/// over tuning draws, which are not among the seeds. NOT PRIVATE: seeded noise. Pre: what
/// it is given outlives it. Errors: kInput (files, columns).
std::unique_ptr<ExperimentRuns> open_worst_group_runs(const ItemHeader& item,
                                                      const ReproductionWorstGroup& settings,
                                                      const std::filesystem::path& folder);

}  // namespace equinoise
