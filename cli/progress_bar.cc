#include "cli/progress_bar.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "equinoise/base/error.h"
#include "equinoise/report/text.h"

namespace equinoise::cli {

namespace {

size_t terminal_width() {
  winsize size = {};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) { interrupted = 1; }

/// Makes Ctrl-C (SIGINT) and SIGTERM stop a run at its next stage or step instead of killing the
/// process.
void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESETHAND;  // a second one ends the process
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

ProgressBar::ProgressBar(bool quiet, bool bar) : quiet_(quiet), bar_(bar && !quiet) {}

void ProgressBar::stage(const std::string& text) {
  // Before the first stage nothing has to be cleaned up: there Ctrl-C may simply end the process.
  catch_interrupts();
  stop_if_interrupted();
  if (!quiet_) fmt::print(stderr, "{}\n", text);
}

void ProgressBar::start_training(int64_t num_steps,
                                 const std::function<double(int64_t)>& epsilon_after) {
  num_steps_ = num_steps;
  done_ = 0;
  epsilon_after_ = epsilon_after;
  start_ = last_drawn_ = Clock::now();
  if (bar_) draw(0, "");
}

void ProgressBar::stop_if_interrupted() const {
  if (interrupted == 0) return;
  if (bar_) fmt::print(stderr, "\n");
  throw Error(ErrorKind::kRuntime, "cli",
              "interrupted: nothing was written; what the ledger reserved for this run, if "
              "anything, stays spent");
}

void ProgressBar::step_done(int64_t num_steps_done) {
  stop_if_interrupted();
  done_ = num_steps_done;
  if (!bar_ || num_steps_done % 64 != 0 ||
      Clock::now() - last_drawn_ < std::chrono::milliseconds(50))
    return;
  last_drawn_ = Clock::now();
  draw(num_steps_done, "");
}

void ProgressBar::finish_training() {
  if (!quiet_) draw(done_, "\n");
}

void ProgressBar::draw(int64_t done, const char* ending) {
  constexpr int kWidth = 28;
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const int filled = num_steps_ > 0 ? static_cast<int>(kWidth * done / num_steps_) : kWidth;
  std::string line =
      fmt::format("training [{}{}] {}/{} steps", std::string(static_cast<size_t>(filled), '#'),
                  std::string(static_cast<size_t>(kWidth - filled), '.'), format_count(done),
                  format_count(num_steps_));
  if (rate > 0) {
    line += fmt::format("  {}/s", format_count(static_cast<int64_t>(rate)));
    line += done < num_steps_
                ? fmt::format("  ETA {:.0f} s", static_cast<double>(num_steps_ - done) / rate)
                : fmt::format("  {:.2f} s", seconds);
  }
  if (epsilon_after_) line += "  epsilon so far " + format_epsilon(Epsilon(epsilon_after_(done)));
  // A line that is wider than the terminal would scroll instead of being drawn over.
  if (bar_) line = "\r\033[K" + line.substr(0, terminal_width() - 1);
  fmt::print(stderr, "{}{}", line, ending);
  std::fflush(stderr);
}

}  // namespace equinoise::cli
