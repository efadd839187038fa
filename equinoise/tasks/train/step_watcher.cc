// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/train/step_watcher.h"

#include <fmt/format.h>

#include <algorithm>

#include "equinoise/audit/group_metrics.h"
#include "equinoise/base/error.h"
#include "equinoise/models/bounded_prediction.h"
#include "equinoise/report/format.h"
#include "equinoise/train/iterates.h"

namespace equinoise {

void StepWatcher::keep_states(Checkpoint& checkpoint, int64_t every) {
  checkpoint_ = &checkpoint;
  every_ = every;
}

void StepWatcher::tell_look(size_t group, const std::vector<GroupLabel>& groups) {
  constexpr std::chrono::seconds kBetweenLooks(5);
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < kBetweenLooks) return;
  told_ = now;
  progress_.stage(fmt::format("explaining step {}: {} ({} of {} groups)",
                              format_count(num_steps_done_), group_name(groups[group]), group + 1,
                              groups.size()));
}

void StepWatcher::on_batch(const BatchView& view) {
  num_cut_ += view.num_cut;
  if (risks_ == nullptr) return;
  num_steps_done_ = view.step;
  told_ = std::chrono::steady_clock::now();
  risks_->try_batch(view);
}

void StepWatcher::on_step(const StepView& view) {
  const TrainingState& state = view.state;
  const bool interrupted = progress_.interrupted();
  const bool is_last = state.num_steps_done == view.num_steps;
  // The last state is kept as well, so that the released model follows from a recorded state.
  if (checkpoint_ != nullptr && view.can_be_resumed &&
      (interrupted || is_last || state.num_steps_done % every_ == 0)) {
    checkpoint_->save(state);
  }
  if (interrupted)
    throw Error(ErrorKind::kRuntime, "tasks.train", "interrupted: " + when_interrupted_);
  if (view.is_trial) return;  // their number is confidential
  curve_.on_state(state);
  progress_.step_done(state.num_steps_done);
}

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
