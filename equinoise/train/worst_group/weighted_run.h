// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/train/iterates.h"
#include "equinoise/train/loop.h"
#include "equinoise/train/worst_group/group_path.h"

namespace equinoise {

/// The state of a run that weighs groups: its iterates on the ball, the weights lambda and their
/// path. All of it follows from what was released with noise.
class WeightedRun {
 public:
  /// Pre: training outlives this; what it holds is its own but for `start`. Errors: kRuntime for a
  /// charge, table or model that are not those of the plan, or a state that is not one of it.
  explicit WeightedRun(TrainingRun& training);

  /// TrainingMethod::most_kept of methods that run so.
  static size_t most_kept(const TrainingPlan& plan);

  bool done() const { return iterates_.done(); }
  int64_t step() const { return iterates_.state().num_steps_done; }
  const std::vector<double>& parameters() const { return iterates_.state().parameters; }
  std::span<double> lambda() { return lambda_; }

  /// A step along scale * units. What the path records of it: weights and losses (or none). After
  /// the last one the mean residual of a plan that has one is taken up: that of the weights of the
  /// steps whose iterates are averaged, which are what the model minimises, and released.
  void update(std::span<const int64_t> units, double scale, std::span<const double> weights,
              std::span<const double> losses);

  TrainedModel result() &&;

 private:
  /// (groups) how much the loss of a record of each group counted.
  std::vector<double> record_weights() const;

  TrainingRun& training_;
  std::vector<double> lambda_;
  GroupPath path_;
  Iterates iterates_;
};

}  // namespace equinoise
