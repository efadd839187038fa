// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace equinoise {

/// Receives reports of what a task is doing. Calls come one at a time, except interrupted().
class TaskProgress {
 public:
  virtual ~TaskProgress() = default;

  virtual void stage(const std::string& text) { static_cast<void>(text); }

  /// From here on something has to be cleaned up or kept: an interruption must no longer end the
  /// process, but be reported by interrupted().
  virtual void hold_interruptions() {}

  /// Whether the task should stop as soon as it can. Called from any thread.
  virtual bool interrupted() const { return false; }
};

}  // namespace equinoise
