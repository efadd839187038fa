// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/audit/risk_watcher.h"
#include "equinoise/tasks/train/checkpoint.h"
#include "equinoise/tasks/train/train.h"
#include "equinoise/tasks/train/training_curve.h"
#include "equinoise/train/observer.h"

namespace equinoise {

/// Passes steps on to the curve, the explanations, the checkpoint and the progress of the task;
/// stops the run when it is interrupted.
class StepWatcher final : public StepObserver {
 public:
  /// `when_interrupted`: what is left then. Errors of on_step: kRuntime that says it.
  StepWatcher(TrainProgress& progress, TrainingCurve& curve, std::string when_interrupted)
      : progress_(progress), curve_(curve), when_interrupted_(std::move(when_interrupted)) {}

  /// Keeps a state every so many steps, the last one as well.
  void keep_states(Checkpoint& checkpoint, int64_t every);

  /// Looks at why groups lose.
  void explain(RiskWatcher& risks) { risks_ = &risks; }

  /// Says which group is looked at where a look takes long.
  void tell_look(size_t group, const std::vector<GroupLabel>& groups);

  /// How many times a weight was beyond what a record or unit pays for, and was cut. NOT private.
  int64_t num_cut() const { return num_cut_; }

  void on_batch(const BatchView& view) override;
  void on_step(const StepView& view) override;

 private:
  TrainProgress& progress_;
  TrainingCurve& curve_;
  std::string when_interrupted_;
  RiskWatcher* risks_ = nullptr;
  Checkpoint* checkpoint_ = nullptr;
  int64_t every_ = 1;
  int64_t num_steps_done_ = 0;
  int64_t num_cut_ = 0;
  std::chrono::steady_clock::time_point told_;  // or when the look began
};

}  // namespace equinoise
