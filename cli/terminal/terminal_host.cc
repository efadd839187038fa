// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/terminal_host.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "cli/terminal/progress_bar.h"
#include "cli/terminal/standard_error.h"

namespace equinoise::cli {

namespace {

[[noreturn]] void fail_to_write() {
  throw std::system_error(errno, std::generic_category(), "standard output");
}

}  // namespace

void TerminalHost::print(std::string_view text) {
  has_printed_ = true;
  if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) fail_to_write();
}

void TerminalHost::flush() {
  if (std::fflush(stdout) != 0) fail_to_write();
}

void TerminalHost::tell(const std::string& text) noexcept { cli::tell(text); }

std::unique_ptr<TrainProgress> TerminalHost::make_progress(bool quiet) {
  return std::make_unique<ProgressBar>(quiet, isatty(STDERR_FILENO) == 1);
}

}  // namespace equinoise::cli
