// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/tool_host.h"
#include "equinoise/base/error.h"

namespace equinoise::cli {

/// A command line that cannot be run. what() says why, a line for each problem, and where a run
/// file holds what it is about.
class UsageError : public Error {
 public:
  UsageError(std::string problems, std::string told)
      : Error(ErrorKind::kUsage, "cli", problems),
        problems_(std::move(problems)),
        told_(std::move(told)) {}

  const char* what() const noexcept override { return problems_.c_str(); }

  /// As the tool says it, lines with its name.
  const std::string& told() const { return told_; }

 private:
  std::string problems_;
  std::string told_;
};

/// Runs a command of the tool, `words` without the tool's name. Returns its exit code: 0, or
/// ErrorKind::kThreshold where a threshold failed, of which the host is told. Calls may run side by
/// side, each with a host of its own. Errors: UsageError; those of the command.
int run_tool(const std::vector<std::string>& words, ToolHost& host);

}  // namespace equinoise::cli
