// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/tool_host.h"
#include "equinoise/base/error.h"

namespace equinoise::cli {

/// A command line that cannot be run. what() gives the reason, a line for each problem, and the
/// place in a run file that caused it.
class UsageError : public Error {
 public:
  UsageError(std::string problems, std::string told)
      : Error(ErrorKind::kUsage, "cli", problems),
        problems_(std::move(problems)),
        told_(std::move(told)) {}

  const char* what() const noexcept override { return problems_.c_str(); }

  /// The message as the tool prints it, each line with the tool's name.
  const std::string& told() const { return told_; }

 private:
  std::string problems_;
  std::string told_;
};

/// Runs a command of the tool. `words`: without the tool's name. Returns its exit code: 0, or
/// ErrorKind::kThreshold if a threshold failed; then the host gets the message. Calls may run side
/// by side, each with a host of its own. Errors: UsageError; those of the command.
int run_tool(const std::vector<std::string>& words, ToolHost& host);

}  // namespace equinoise::cli
