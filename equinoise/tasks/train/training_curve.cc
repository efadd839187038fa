// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/training_curve.h"

#include <algorithm>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/models/bounded_prediction.h"
#include "equinoise/train/iterates.h"

namespace equinoise {

TrainingCurve::TrainingCurve(const EncodedTable& held_out, const Model& model,
                             const TrainingConfig& config)
    : held_out_(held_out),
      model_(model),
      num_steps_(config.num_steps),
      first_averaged_(first_averaged_step(config)),
      interval_(std::max<int64_t>(1, config.num_steps / 30)),
      threads_(config.threads) {}

void TrainingCurve::on_state(const TrainingState& state) {
  const int64_t done = state.num_steps_done;
  if (held_out_.num_records == 0 || (done % interval_ != 0 && done != num_steps_)) return;
  const std::vector<double>& released = done > first_averaged_ ? state.average : state.parameters;
  const Predictions predictions = predict_within_bounds(model_, held_out_, released, threads_);
  points_.push_back({done, overall_metrics(held_out_, predictions).loss.value});
}

}  // namespace equinoise
