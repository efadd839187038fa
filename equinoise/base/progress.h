// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace equinoise {

/// Told what a task is doing. One call at a time, but for interrupted().
class TaskProgress {
 public:
  virtual ~TaskProgress() = default;

  virtual void stage(const std::string& text) { static_cast<void>(text); }

  /// From here on something has to be cleaned up or kept: an interruption must not end the process
  /// any more, but be told by interrupted().
  virtual void hold_interruptions() {}

  /// Whether the task should stop as soon as it can. Called from any thread.
  virtual bool interrupted() const { return false; }
};

}  // namespace equinoise
