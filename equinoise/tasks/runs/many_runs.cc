// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/runs/many_runs.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/parallel.h"

namespace equinoise {

RunsProgress::RunsProgress(TrainProgress& progress, int64_t num_steps, std::string_view where,
                           std::string when_interrupted)
    : progress_(progress), where_(where), when_interrupted_(std::move(when_interrupted)) {
  progress_.start_training(0, num_steps, nullptr);
}

void RunsProgress::steps_done(int64_t count) {
  const std::lock_guard lock(mutex_);
  progress_.step_done(num_done_ += count);
}

bool RunsProgress::interrupted() const { return progress_.interrupted(); }

void RunsProgress::check_interruption() const {
  if (interrupted()) throw Error(ErrorKind::kRuntime, where_, "interrupted: " + when_interrupted_);
}

void RunsProgress::stage(const std::string& text) {
  const std::lock_guard lock(mutex_);
  progress_.stage(text);
}

void run_side_by_side(size_t count, int threads, const std::function<void(size_t)>& do_run) {
  std::atomic<size_t> next = 0;
  const size_t num_workers = std::min(count, static_cast<size_t>(std::max(threads, 1)));
  parallel_for(num_workers, threads, [&](size_t) {
    try {
      for (size_t i = next++; i < count; i = next++) do_run(i);
    } catch (...) {
      next = count;
      throw;
    }
  });
}

}  // namespace equinoise
