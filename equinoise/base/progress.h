// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "equinoise/base/error.h"

namespace equinoise {

/// Receives reports of a task's progress. Calls come one at a time, except interrupted().
class TaskProgress {
 public:
  virtual ~TaskProgress() = default;

  virtual void stage(const std::string& text) { static_cast<void>(text); }

  /// Marks the start of work that has to be cleaned up or kept: an interruption must no longer end
  /// the process, but be reported by interrupted().
  virtual void hold_interruptions() {}

  /// Takes back one call of hold_interruptions().
  virtual void release_interruptions() {}

  /// Returns whether the task should stop as soon as it can. Called from any thread.
  virtual bool interrupted() const { return false; }
};

/// Nobody watches, and nothing is interrupted.
inline const TaskProgress kUnwatched = {};

/// Holds the interruptions of a task, if any, as long as it exists.
class HeldInterruptions {
 public:
  explicit HeldInterruptions(TaskProgress* progress) : progress_(progress) {
    if (progress_ != nullptr) progress_->hold_interruptions();
  }
  ~HeldInterruptions() {
    if (progress_ != nullptr) progress_->release_interruptions();
  }
  HeldInterruptions(const HeldInterruptions&) = delete;
  HeldInterruptions& operator=(const HeldInterruptions&) = delete;

 private:
  TaskProgress* progress_;
};

/// Errors: kRuntime if a task was interrupted. Pre: its command has written and spent nothing.
inline void stop_if_interrupted(const TaskProgress* progress) {
  if (progress == nullptr || !progress->interrupted()) return;
  throw Error(ErrorKind::kRuntime, "base.progress",
              "interrupted: this command wrote nothing and spent nothing");
}

/// Receives the progress of training. Called from the training thread.
class TrainProgress : public TaskProgress {
 public:
  /// `epsilon_after(k)` is the cost of k steps; empty for a method without a guarantee.
  virtual void start_training(int64_t num_steps_done, int64_t num_steps,
                              const std::function<double(int64_t)>& epsilon_after) {
    static_cast<void>(num_steps_done);
    static_cast<void>(num_steps);
    static_cast<void>(epsilon_after);
  }
  virtual void step_done(int64_t num_steps_done) { static_cast<void>(num_steps_done); }
  virtual void finish_training() {}
};

}  // namespace equinoise
