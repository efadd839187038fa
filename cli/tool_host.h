// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "equinoise/base/progress.h"
#include "equinoise/data/table_source.h"

namespace equinoise::cli {

/// The surroundings of a command: a terminal, or another program that calls it. Calls come from the
/// thread that runs the command.
class ToolHost {
 public:
  virtual ~ToolHost() = default;

  /// Takes the command's answer: standard output of the tool. Errors: std::system_error if it is
  /// lost; EPIPE if the reader has closed it.
  virtual void print(std::string_view text) = 0;

  /// Passes on printed text, so that lost output ends the command as well. Errors: those of
  /// print().
  virtual void flush() {}

  /// Takes messages that are not part of the answer: standard error of the tool. They may get lost,
  /// which must not cost a run or an exit code.
  virtual void tell(const std::string& text) noexcept = 0;

  /// The table that an option names: a file or an engine's table, unless the host holds records of
  /// that name. Errors: those of table_at.
  virtual TableSource table(const std::string& name);

  /// Returns the receiver of a run's progress, which can also stop the run. `quiet`: it shows
  /// nothing.
  virtual std::unique_ptr<TrainProgress> make_progress(bool quiet) = 0;
};

}  // namespace equinoise::cli
