// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/training/training_item.h"

namespace equinoise {

/// Training with torch's initial parameters, to the last iterate. Pre: the arguments outlive it.
/// Errors: kInput (files, an item with other groups than its data).
std::unique_ptr<ExperimentRuns> open_training_runs(const ItemHeader& item,
                                                   const ReproductionTraining& training,
                                                   const std::filesystem::path& folder,
                                                   TaskProgress& progress);

}  // namespace equinoise
