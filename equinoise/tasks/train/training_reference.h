// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/tasks/train/training_parts.h"
#include "equinoise/tasks/train/training_setup.h"
#include "equinoise/train/method.h"

namespace equinoise {

/// The non-private reference beside: as many steps of plain SGD on a stream of its own. Nothing
/// bounds its gradients, so that it may diverge where the clipped run does not: then it is trained
/// again with a smaller learning rate.
TrainedModel train_reference(const EncodedParts& parts, const TrainingSetup& setup,
                             const TrainRequest& request, TrainProgress& progress,
                             TrainingReport& report);

}  // namespace equinoise
