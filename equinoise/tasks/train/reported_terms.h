// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/training_setup.h"
#include "equinoise/train/loop.h"

namespace equinoise {

/// The terms of the trained model with their columns and values in words, the largest first; none
/// of a model whose parameters are not all finite. `target_divisor`: of a numeric target
/// (EncodedTable).
std::vector<TermReport> reported_terms(const TrainedModel& trained, const TrainingSetup& setup,
                                       double target_divisor);

}  // namespace equinoise
