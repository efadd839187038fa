#pragma once

#include "equinoise/train/loop.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// A training method: says what it will cost from public facts, then does it for a charge of
/// exactly that.
class TrainingMethod {
 public:
  virtual ~TrainingMethod() = default;

  /// Errors: kUsage for a configuration that the method cannot honour.
  virtual TrainingPlan plan(const TrainingConfig& config, const TrainingFacts& facts) const = 0;

  /// Runs `plan` from `start`, which is TrainingState::start() or a state that an observer of an
  /// earlier run of the same plan was shown. `charge` must hold plan.events(), with the draws of
  /// the steps that are left. Errors: kRuntime from `observer` or a charge that does not fit.
  virtual TrainedModel run(const EncodedTable& table, const Model& model, const TrainingPlan& plan,
                           TrainingState start, Charge charge, RandomSource& source,
                           StepObserver& observer) const = 0;
};

}  // namespace equinoise
