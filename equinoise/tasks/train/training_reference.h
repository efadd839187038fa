// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/tasks/train/training_parts.h"
#include "equinoise/tasks/train/training_setup.h"
#include "equinoise/train/method.h"

namespace equinoise {

/// Checks that the requested reference can be trained. Errors: kUsage.
void check_reference(const TrainRequest& request, const TrainingSetup& setup);

/// Trains the non-private reference: by the requested method, or by the one with the same aim and
/// no guarantee, for as many steps on a separate stream. Its gradients are not bounded, so it may
/// diverge although the clipped run does not; it is then trained again with a smaller learning
/// rate.
TrainedModel train_reference(const EncodedParts& parts, const TrainingSetup& setup,
                             const TrainRequest& request, TrainProgress& progress,
                             TrainingReport& report);

}  // namespace equinoise
