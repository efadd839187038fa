// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "equinoise/base/counted_records.h"
#include "equinoise/train/clip_policy.h"
#include "equinoise/train/state.h"

namespace equinoise {

/// A step before its noise and its update. Not private: batch and sum are the exact ones.
struct BatchView {
  int64_t step = 0;                    ///< 0 .. num_steps - 1
  CountedRecords batch;                ///< record indices; unit indices for a table of units
  std::span<const double> parameters;  ///< (num_parameters) at which gradients were taken
  const ClipPolicy& clip;              ///< as it was when it computed the weights
  std::span<const int64_t> sum_units;  ///< clipped gradient sum in grid units; empty without a grid
  double grid = 0;                     ///< of this step, a power of two; 0: none
  int64_t num_cut = 0;  ///< records whose weight was beyond the bound (ClipPolicy::weights)
};

/// A step after its update.
struct StepView {
  int64_t step = 0;  ///< 0 .. num_steps - 1
  int64_t num_steps = 0;
  const TrainingState& state;  ///< after the step
  bool is_trial = false;  ///< a step of one of several runs, all but one of which are discarded
  bool can_be_resumed = true;  ///< with the rest of the charge after these steps
};

/// Watches training: progress, diagnostics. May throw to stop it.
class StepObserver {
 public:
  virtual ~StepObserver() = default;
  virtual void on_batch(const BatchView& view) { static_cast<void>(view); }
  virtual void on_step(const StepView& view) { static_cast<void>(view); }
};

}  // namespace equinoise
