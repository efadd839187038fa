// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/tasks/train/training_parts.h"
#include "equinoise/tasks/train/training_setup.h"
#include "equinoise/train/method.h"

namespace equinoise {

/// Checks that the reference that is asked for can be trained. Errors: kUsage.
void check_reference(const TrainRequest& request, const TrainingSetup& setup);

/// The non-private reference beside: by the method that is asked for, or by the one that wants the
/// same without a guarantee, as many steps on a stream of its own. Nothing bounds its gradients, so
/// that it may diverge where the clipped run does not: then it is trained again with a smaller
/// learning rate.
TrainedModel train_reference(const EncodedParts& parts, const TrainingSetup& setup,
                             const TrainRequest& request, TrainProgress& progress,
                             TrainingReport& report);

}  // namespace equinoise
