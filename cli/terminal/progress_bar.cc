// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>

#include "equinoise/base/error.h"
#include "equinoise/report/format.h"

namespace equinoise::cli {

namespace {

size_t terminal_width() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

// Set by the signal handler, read by any thread.
std::atomic<bool> signalled = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) { signalled = true; }

}  // namespace

ProgressBar::ProgressBar(bool quiet, bool bar) : quiet_(quiet), bar_(bar && !quiet) {}

void ProgressBar::stage(const std::string& text) {
  // A bar that is being drawn is overwritten by the line.
  if (!quiet_) tell((bar_ ? "\r\033[K" : "") + text + "\n");
}

void ProgressBar::hold_interruptions() {
  if (num_holds_++ > 0) return;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND;  // a second one ends the process
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

void ProgressBar::release_interruptions() {
  if (--num_holds_ > 0) return;
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool ProgressBar::interrupted() const { return signalled; }

void ProgressBar::start_training(int64_t num_steps_done, int64_t num_steps,
                                 const std::function<double(int64_t)>& epsilon_after) {
  num_steps_ = num_steps;
  first_ = done_ = num_steps_done;
  epsilon_after_ = epsilon_after;
  start_ = last_drawn_ = Clock::now();
  if (bar_) draw(done_, "");
}

void ProgressBar::step_done(int64_t num_steps_done) {
  done_ = num_steps_done;
  const Clock::time_point now = Clock::now();
  if (!bar_ || now - last_drawn_ < pause_) return;
  draw(num_steps_done, "");
  last_drawn_ = Clock::now();
  // Drawing computes the epsilon so far. It may take a twentieth of the time.
  pause_ = std::max<Clock::duration>(kShortestPause, 20 * (last_drawn_ - now));
}

void ProgressBar::finish_training() {
  if (!quiet_) draw(done_, "\n");
}

void ProgressBar::draw(int64_t done, const char* ending) {
  constexpr int kWidth = 28;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done - first_) / seconds : 0;
  const int filled = num_steps_ > 0 ? static_cast<int>(kWidth * done / num_steps_) : kWidth;
  std::string line = fmt::format("{} [{}{}] {}/{} steps", epsilon_after_ ? "training" : "running",
                                 std::string(static_cast<size_t>(filled), '#'),
                                 std::string(static_cast<size_t>(kWidth - filled), '.'),
                                 format_count(done), format_count(num_steps_));
  if (rate > 0) {
    line += rate < 10 ? fmt::format("  {:.2g}/s", rate)
                      : fmt::format("  {}/s", format_count(static_cast<int64_t>(rate)));
    line += done < num_steps_
                ? fmt::format("  ETA {:.0f} s", static_cast<double>(num_steps_ - done) / rate)
                : fmt::format("  {:.2f} s", seconds);
  }
  if (epsilon_after_) line += "  epsilon so far " + format_epsilon(Epsilon(epsilon_after_(done)));
  // A line wider than the terminal would scroll instead of being overwritten.
  if (bar_) line = "\r\033[K" + line.substr(0, terminal_width() - 1);
  tell(line + ending);
}

void tell(const std::string& text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

}  // namespace equinoise::cli
