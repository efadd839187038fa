// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/item.h"
#include "equinoise/reproduction/reproduce.h"
#include "equinoise/tasks/train/train.h"

namespace equinoise {

/// Returns whether the name is the method's, or without its panel: "DPNoSE" of "20x: DPNoSE".
bool is_named(const ReproductionMethod& method, const std::string& name);

/// The reason why a method is not run, or "". `obstacle` is the reason why the whole item cannot be
/// run, or "".
std::string why_skipped(const ReproductionItem& item, const ReproductionMethod& method,
                        const ReproduceRequest& request, const std::string& obstacle);

/// Makes all runs of an item, several in parallel, except those that the request keeps and finds.
/// The run of method m with seed s is at [m][s]; [m] is empty for a method that is skipped. Errors:
/// kInput (files), kRuntime when the progress reports an interruption.
std::vector<Outcomes> run_all(const ReproductionItem& item, const ReproduceRequest& request,
                              int64_t num_seeds, TrainProgress& progress);

}  // namespace equinoise
