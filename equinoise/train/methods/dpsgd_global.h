#pragma once

#include "equinoise/train/method.h"

namespace equinoise {

/// DP-SGD with one scale for all gradients (GlobalClip). [BuEtAl2021]
class DpSgdGlobal final : public TrainingMethod {
 public:
  TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                   TrainingState start, Charge charge, RandomSource& source,
                   StepObserver& observer) const override;
};

}  // namespace equinoise
