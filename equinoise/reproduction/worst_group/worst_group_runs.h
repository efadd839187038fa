// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/worst_group/worst_group_item.h"

namespace equinoise {

/// Returns whether a method in a cell has this metric:
/// - "excess": the largest mean loss of any group on the training records, minus the least possible
/// - "test loss": the largest mean loss of any group on other records
/// - "test error": the largest error of any group on them
/// - "overall error": the error of all of them
/// - "epsilon": the cost of the run if it were paid for, by pld
bool is_worst_group_metric(std::string_view name);

/// Worst-group risk of registered methods, unpaid, on drawn problems or on a table. Models are
/// logistic, with an intercept. A drawn problem has equal groups, features on the unit sphere and
/// labels with logit 3 sqrt(d) <w_i, x>. Here w_i = u except for the first group, whose w_i is -0.3
/// u + 0.95 v, u and v orthonormal. Learning rates are those with the least mean excess over tuning
/// draws, which are not among the seeds. NOT PRIVATE: seeded noise. Pre: the arguments outlive it.
/// Errors: kInput (files, columns).
std::unique_ptr<ExperimentRuns> open_worst_group_runs(const ItemHeader& item,
                                                      const ReproductionWorstGroup& settings,
                                                      const std::filesystem::path& folder);

}  // namespace equinoise
