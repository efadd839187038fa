// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

#include "cli/terminal/standard_error.h"
#include "cli/terminal/terminal_host.h"
#include "cli/tool.h"

namespace equinoise::cli {

/// What a shell says of a program that SIGPIPE ended: nobody is left to be told anything.
constexpr int kOutputClosed = 128 + SIGPIPE;

}  // namespace equinoise::cli

int main(int argc, char** argv) {
  using namespace equinoise;
  using namespace equinoise::cli;
  // A write beyond a file-size limit or into a closed pipe must not end a run that is paid for.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);

  try {
    TerminalHost host;
    return run_tool({argv + 1, argv + argc}, host);
  } catch (const UsageError& error) {
    tell(error.told());
    return static_cast<int>(error.kind());
  } catch (const Error& error) {
    tell(fmt::format("equinoise: {}\n", error.what()));
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    tell("equinoise: out of memory\n");
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) {
      tell(fmt::format("equinoise: unexpected: {}\n", error.what()));
    } else if (error.code().value() == EPIPE) {
      return kOutputClosed;
    } else {
      tell("equinoise: [cli] standard output cannot be written (disk full?)\n");
    }
  } catch (const std::exception& error) {
    tell(fmt::format("equinoise: unexpected: {}\n", error.what()));
  }
  return static_cast<int>(ErrorKind::kRuntime);
}
