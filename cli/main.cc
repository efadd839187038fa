// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/answers.h"
#include "cli/terminal/progress_bar.h"
#include "cli/tool.h"
#include "cli/tool_host.h"
#include "equinoise/base/enum_words.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise::cli {

/// The status that a shell reports for a program that SIGPIPE ended: nobody reads its output.
constexpr int kOutputClosed = 128 + SIGPIPE;

[[noreturn]] void fail_to_write() {
  throw std::system_error(errno, std::generic_category(), "standard output");
}

/// The tool's own host: standard output and standard error.
class TerminalHost final : public ToolHost {
 public:
  void print(std::string_view text) override {
    has_printed_ = true;
    if (std::fwrite(text.data(), 1, text.size(), stdout) < text.size()) fail_to_write();
  }
  void flush() override {
    if (std::fflush(stdout) != 0) fail_to_write();
  }
  void tell(const std::string& text) noexcept override { cli::tell(text); }
  std::unique_ptr<TrainProgress> make_progress(bool quiet) override {
    return std::make_unique<ProgressBar>(quiet, isatty(STDERR_FILENO) == 1);
  }

  /// Whether a command has printed anything.
  bool has_printed() const { return has_printed_; }

 private:
  bool has_printed_ = false;
};

/// Whether the command has --json, whatever else its words say.
bool wants_json(const std::vector<std::string>& words) {
  return words.size() > 1 && std::find(words.begin() + 1, words.end(), "--json") != words.end();
}

/// Runs the tool and says on standard error why it ends; with --json also as the object on standard
/// output, unless the answer is there already. Returns the exit code.
int run_and_explain(const std::vector<std::string>& words) {
  TerminalHost host;
  const auto end_with = [&](ErrorKind kind, const std::string& message, const std::string& told) {
    tell(told.empty() ? wrapped("equinoise: " + message) + "\n" : told);
    const int code = static_cast<int>(kind);
    if (wants_json(words) && !host.has_printed()) {
      const std::string text = to_text(document_of("error", FailedCommand{kind, message}));
      std::fputs(text.c_str(), stdout);  // standard error has it if this fails
    }
    return code;
  };
  const auto end_at_run_time = [&](const std::string& message) {
    return end_with(ErrorKind::kRuntime, message, "");
  };
  try {
    return run_tool(words, host);
  } catch (const UsageError& error) {
    return end_with(error.kind(), error.what(), error.told());
  } catch (const Error& error) {
    return end_with(error.kind(), error.what(), "");
  } catch (const std::bad_alloc&) {
    return end_at_run_time("out of memory");
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0)
      return end_at_run_time(fmt::format("unexpected: {}", error.what()));
    if (error.code().value() == EPIPE) return kOutputClosed;
    return end_at_run_time("[cli] standard output cannot be written (disk full?)");
  } catch (const std::exception& error) {
    return end_at_run_time(fmt::format("unexpected: {}", error.what()));
  }
}

}  // namespace equinoise::cli

int main(int argc, char** argv) {
  // A write beyond a file-size limit or into a closed pipe must not end a run that is paid for.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  return equinoise::cli::run_and_explain({argv + 1, argv + argc});
}
