#pragma once

#include "equinoise/train/method.h"

namespace equinoise {

/// DP-SGD with one scale for all gradients that follows how long they are (GlobalAdaptClip): a
/// noisy count of long gradients is released from each batch beside their sum. [EsipovaEtAl2023]
class DpSgdGlobalAdapt final : public TrainingMethod {
 public:
  TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                   TrainingState start, Charge charge, RandomSource& source,
                   StepObserver& observer) const override;
};

}  // namespace equinoise
