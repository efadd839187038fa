// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "equinoise/reproduction/experiment.h"
#include "equinoise/reproduction/means/means_item.h"

namespace equinoise {

/// Means that authors have published, next to releases from records that are made to have them; one
/// run covers all stratifications. Pre: the arguments outlive it. Errors: kInput (files, a number
/// of strata that no stratification has).
std::unique_ptr<ExperimentRuns> open_published_means_runs(const ItemHeader& item,
                                                          const ReproductionMeans& means,
                                                          const std::filesystem::path& folder);

}  // namespace equinoise
