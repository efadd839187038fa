// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "equinoise/base/progress.h"
#include "equinoise/data/table_source.h"

namespace equinoise::cli {

/// Where commands run: a terminal, or another program that calls them. Calls come from the thread
/// that runs the command.
class ToolHost {
 public:
  virtual ~ToolHost() = default;

  /// Takes what the command answers: standard output of the tool. Errors: std::system_error where
  /// it is lost; EPIPE if the reader has closed it.
  virtual void print(std::string_view text) = 0;

  /// Passes on what was printed, so that lost output ends the command as well. Errors: those of
  /// print().
  virtual void flush() {}

  /// Takes what is said beside the answer: standard error of the tool. It may get lost, which must
  /// not cost a run or an exit code.
  virtual void tell(const std::string& text) noexcept = 0;

  /// What an option that names a table means: a file or an engine's table, unless the host holds
  /// records of that name. Errors: those of table_at.
  virtual TableSource table(const std::string& name);

  /// Is told how long work goes, and says whether it should stop. `quiet`: shows nothing.
  virtual std::unique_ptr<TrainProgress> make_progress(bool quiet) = 0;
};

}  // namespace equinoise::cli
