// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/tasks/train/training_setup.h"

namespace equinoise {

/// What of a request can be checked before anything is read: `plan` asks for none of it.
/// Errors: kUsage.
void check_request(const TrainRequest& request, const TrainingSetup& setup);

/// Enough for what is told of every look, in both reports.
int64_t explanation_bytes(const TrainingSetup& setup, const TrainRequest& request);

}  // namespace equinoise
