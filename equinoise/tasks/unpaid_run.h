#pragma once

#include <cstdint>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/train/loop.h"
#include "equinoise/train/method.h"
#include "equinoise/train/observer.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// The public facts about `train` that a plan for the model needs; num_groups is left at 0.
TrainingFacts facts_of(const EncodedTable& train, const Model& model);

/// Runs a plan with the batches, the noise and the initial parameters of a seed. NOT PRIVATE.
TrainedModel run_unpaid(const TrainingMethod& method, const TrainingPlan& plan,
                        const EncodedTable& train, const Model& model, uint64_t seed,
                        StepObserver& observer);

}  // namespace equinoise
