// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// Checks all parts of a request that `plan` does not need and that require no data. Errors:
/// kUsage.
void check_request(const TrainRequest& request, const TrainingSetup& setup);

/// An upper limit for the text about all explained steps, in both reports.
int64_t explanation_bytes(const TrainingSetup& setup, const TrainRequest& request);

}  // namespace equinoise
