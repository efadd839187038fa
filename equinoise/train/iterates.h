// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "equinoise/train/plan.h"
#include "equinoise/train/state.h"

namespace equinoise {

/// The share of the steps, counted from the end, over which iterates are averaged.
double tail_average_of(const TrainingConfig& config);

/// The number of steps before the averaged ones.
int64_t first_averaged_step(const TrainingConfig& config);

/// Applies the optimizer's steps with a linearly falling rate, and averages the last iterates.
/// Post-processing of the sums that it receives.
class Iterates {
 public:
  /// step_scales: Model::step_scales(), which outlives this. After every step parameters are
  /// clamped to [-box, box] and projected onto the ball of `radius` about 0. Errors: kRuntime for a
  /// state that is not one of this plan.
  Iterates(const TrainingPlan& plan, TrainingState start, std::span<const double> step_scales = {},
           double box = std::numeric_limits<double>::infinity(),
           double radius = std::numeric_limits<double>::infinity());

  const TrainingState& state() const { return state_; }
  void keep_clip(std::vector<double> clip) { state_.clip = std::move(clip); }
  void keep_average(std::vector<double> average) { state_.average = std::move(average); }
  bool done() const { return state_.num_steps_done == config_.num_steps; }

  /// A step for the gradient scale * sum / batch_size. Sum is int64_t or double.
  template <typename Sum>
  void update(std::span<const Sum> sum, double scale);

  /// The released model.
  std::vector<double> average() && { return std::move(state_.average); }

 private:
  TrainingConfig config_;
  std::span<const double> step_scales_;
  double box_;
  double radius_;
  std::vector<double> scaled_;
  int64_t first_averaged_;
  TrainingState state_;
};

}  // namespace equinoise
