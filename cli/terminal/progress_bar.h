// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <string>

#include "equinoise/base/progress.h"

namespace equinoise::cli {

/// Reports the progress of a run on standard error: a line per stage and, on a terminal, a bar with
/// steps, rate, ETA and epsilon so far. Reports Ctrl-C (SIGINT) or SIGTERM once interruptions are
/// held.
class ProgressBar final : public TrainProgress {
 public:
  /// quiet: print nothing. bar: draw the moving bar (standard error is a terminal).
  ProgressBar(bool quiet, bool bar);

  void stage(const std::string& text) override;
  void hold_interruptions() override;
  void release_interruptions() override;
  bool interrupted() const override;
  void start_training(int64_t num_steps_done, int64_t num_steps,
                      const std::function<double(int64_t)>& epsilon_after) override;
  void step_done(int64_t num_steps_done) override;
  void finish_training() override;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kShortestPause = std::chrono::milliseconds(50);
  void draw(int64_t done, const char* ending);

  bool quiet_;
  bool bar_;
  int num_holds_ = 0;                // active holds of interruptions
  struct sigaction interrupt_ = {};  // the previous actions of the signals
  struct sigaction terminate_ = {};
  int64_t num_steps_ = 0;
  int64_t first_ = 0;  // steps done before the run was resumed
  int64_t done_ = 0;
  std::function<double(int64_t)> epsilon_after_;
  Clock::time_point start_;
  Clock::time_point last_drawn_;
  Clock::duration pause_ = kShortestPause;
};

/// Writes to standard error. Errors are ignored: a closed pipe or a full disk must not cost a run
/// or an exit code.
void tell(const std::string& text) noexcept;

}  // namespace equinoise::cli
