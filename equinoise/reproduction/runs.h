// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/item.h"
#include "equinoise/reproduction/request.h"
#include "equinoise/tasks/train/train.h"

namespace equinoise {

/// Why a method is not run, or "". `obstacle` is what keeps the whole item from being run, or "".
std::string why_skipped(const ReproductionItem& item, const ReproductionMethod& method,
                        const ReproduceRequest& request, const std::string& obstacle);

/// All runs of an item, several at once, but for those that the request keeps and finds. The run of
/// method m with seed s is at [m][s]; [m] is empty for a method that is skipped. Errors: kInput
/// (files), kRuntime when the progress says that the run was interrupted.
std::vector<Outcomes> run_all(const ReproductionItem& item, const ReproduceRequest& request,
                              int64_t num_seeds, TrainProgress& progress);

}  // namespace equinoise
