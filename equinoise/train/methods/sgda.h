#pragma once

#include "equinoise/train/method.h"

namespace equinoise {

/// Stochastic gradient descent-ascent under rate constraints: raco_dp without clipping and noise,
/// on the same Poisson batches. NOT private, the reference.
class Sgda final : public TrainingMethod {
 public:
  bool uses_constraints() const override { return true; }
  std::unique_ptr<ClipPolicy> make_clip(const TrainingConfig& config,
                                        const TrainingFacts& facts) const override;
  /// Errors: kUsage where epsilon or a noise multiplier is given, or no constraints are.
  TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const override;
  TrainedModel run(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                   TrainingState start, Charge charge, RandomSource& source,
                   StepObserver& observer) const override;
};

}  // namespace equinoise
