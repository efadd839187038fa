// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/audit/risk_watcher.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/report/training/training_report.h"
#include "equinoise/tasks/train/checkpoint.h"
#include "equinoise/tasks/train/train.h"
#include "equinoise/train/observer.h"
#include "equinoise/train/plan.h"
#include "equinoise/train/state.h"

namespace equinoise {

/// Records the held-out loss of a run at about thirty steps. NOT PRIVATE: for the confidential
/// report.
class TrainingCurve {
 public:
  /// `held_out`: a few thousand records suffice; without any there is no curve.
  TrainingCurve(const EncodedTable& held_out, const Model& model, const TrainingConfig& config);

  /// Adds a point if one is due. The loss is that of the model if released after this step: the
  /// average once averaging has begun.
  void on_state(const TrainingState& state);

  std::vector<CurvePoint> points() && { return std::move(points_); }

 private:
  const EncodedTable& held_out_;
  const Model& model_;
  int64_t num_steps_;
  int64_t first_averaged_;
  int64_t interval_;
  int threads_;
  std::vector<CurvePoint> points_;
};

/// Passes steps to the curve, the explanations, the checkpoint and the task's progress; stops the
/// run when it is interrupted.
class StepWatcher final : public StepObserver {
 public:
  /// `when_interrupted`: the text of the error, about the state of the run. Errors of on_step:
  /// kRuntime with that text.
  StepWatcher(TrainProgress& progress, TrainingCurve& curve, std::string when_interrupted)
      : progress_(progress), curve_(curve), when_interrupted_(std::move(when_interrupted)) {}

  /// Keeps a state every `every` steps, and the last one.
  void keep_states(Checkpoint& checkpoint, int64_t every);

  /// Explains at some steps why groups lose.
  void explain(RiskWatcher& risks) { risks_ = &risks; }

  /// Reports the current group of a slow explanation.
  void tell_look(size_t group, const std::vector<GroupLabel>& groups);

  /// The number of weights beyond what a record or unit pays for, which were lowered. NOT private.
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
  std::chrono::steady_clock::time_point told_;  // or when the explanation began
};

}  // namespace equinoise
