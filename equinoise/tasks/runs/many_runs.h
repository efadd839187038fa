// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "equinoise/base/progress.h"

namespace equinoise {

/// Counts the steps of many concurrent runs as those of one. Callable from any thread.
class RunsProgress {
 public:
  /// `where` and `when_interrupted`: the parts of the message after an interruption.
  RunsProgress(TrainProgress& progress, int64_t num_steps, std::string_view where,
               std::string when_interrupted);

  void steps_done(int64_t count = 1);

  /// Whether an interruption was reported: a run should then stop as soon as it can.
  bool interrupted() const;

  /// Errors: kRuntime after an interruption.
  void check_interruption() const;

  void stage(const std::string& text);

 private:
  TrainProgress& progress_;
  std::string where_;
  std::string when_interrupted_;
  std::mutex mutex_;
  int64_t num_done_ = 0;
};

/// Calls do_run(i) for each i in [0, count), one thread each, at most `threads` at once. Starts
/// them in order, so that an interrupted task has kept its first runs. Rethrows the first
/// exception; no run starts after one.
void run_side_by_side(size_t count, int threads, const std::function<void(size_t)>& do_run);

/// Seconds of processor time used by this thread. Concurrent runs and other programs do not count.
inline double thread_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace equinoise
