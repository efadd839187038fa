// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/tool_host.h"

namespace equinoise::cli {

/// The tool's own host: standard output and standard error.
class TerminalHost final : public ToolHost {
 public:
  void print(std::string_view text) override;
  void flush() override;
  void tell(const std::string& text) noexcept override;
  std::unique_ptr<TrainProgress> make_progress(bool quiet) override;

  /// Whether a command has printed anything.
  bool has_printed() const { return has_printed_; }

 private:
  bool has_printed_ = false;
};

}  // namespace equinoise::cli
