// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <source_location>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "equinoise/base/lists.h"
#include "equinoise/report/page/text_table.h"
#include "tests/docs/schema_problem.h"
#include "tests/test_support.h"

namespace equinoise::testing {

using Json = nlohmann::json;

/// Words of a command, listed or as they are typed: blanks separate them.
class Words : public std::vector<std::string> {
 public:
  using std::vector<std::string>::vector;
  Words(const char* line) {  // NOLINT(google-explicit-constructor): a command reads as it is typed
    std::istringstream stream(line);
    assign(std::istream_iterator<std::string>(stream), {});
  }
};

/// What was printed, without the breaks in lines that are too long for a screen
/// (report/page/text_table.h).
inline std::string unwrapped(const std::string& text) {
  std::string joined;
  size_t length = 0;  // of the line before
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    const size_t start = std::min(line.find_first_not_of(' '), line.size());
    const size_t word = std::min(line.find(' ', start), line.size()) - start;
    const bool is_command = joined.ends_with(":\n") && !joined.ends_with("Example:\n") &&
                            line.substr(start).starts_with("equinoise ");
    const bool goes_on = start >= 2 && word > 0 && length <= kMaxLine &&
                         length + 1 + (is_command ? line.size() - start : word) > kMaxLine;
    if (goes_on) joined.back() = ' ';
    joined += goes_on ? line.substr(start) : line;
    if (end < text.size()) joined += '\n';
    length = line.size();
    begin = end + 1;
  }
  return joined;
}

/// How a run of the tool ended. `out` and `err` are what it wrote on standard output and error,
/// unwrapped.
struct ToolResult {
  int exit_code = -1;  ///< -1: ended by a signal
  int signal = 0;      ///< that ended it
  bool timed_out = false;
  std::string out;
  std::string err;
};

/// Makes a failed expectation show what the tool said.
inline std::ostream& operator<<(std::ostream& stream, const ToolResult& result) {
  return stream << "exit code " << result.exit_code << ", signal " << result.signal
                << (result.timed_out ? ", TIMED OUT" : "") << "\n--- standard output\n"
                << result.out.substr(0, 4000) << "\n--- standard error\n"
                << result.err.substr(0, 4000);
}

struct ToolOptions {
  std::filesystem::path folder = {};          ///< to run in; empty: this one
  std::optional<rlim_t> max_file_bytes = {};  ///< RLIMIT_FSIZE: what a full disk looks like
  std::optional<uid_t> uid = {};              ///< user to run as
  std::vector<std::pair<std::string, std::string>> environment = {};  ///< variables to be set
  std::string out_path = {};          ///< file for standard output; empty: ToolResult::out
  std::string err_path = {};          ///< the same for standard error
  bool closes_out = false;            ///< nobody reads standard output
  std::string in_path = "/dev/null";  ///< file or pipe for standard input
  int timeout_seconds = 120;          ///< the tool is killed after that
};

/// A run of the tool: started by fork and exec, so that no shell looks at the words.
class ToolProcess {
 public:
  explicit ToolProcess(const Words& words, const ToolOptions& options = {})
      : deadline_(Clock::now() + std::chrono::seconds(options.timeout_seconds)) {
    Words all = {EQUINOISE_CLI};
    append(all, words);
    std::vector<char*> arguments;
    for (std::string& word : all) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    std::array<std::array<int, 2>, 2> pipes = {};
    for (std::array<int, 2>& ends : pipes) {
      if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(ErrorKind::kRuntime, "tests", "pipe2");
      }
    }
    if (options.closes_out) ::close(std::exchange(pipes[0][0], -1));
    child_ = ::fork();
    if (child_ < 0) throw Error(ErrorKind::kRuntime, "tests", "fork");
    if (child_ == 0) run_child(arguments.data(), pipes[0][1], pipes[1][1], options);
    for (size_t i = 0; i < 2; ++i) {
      ::close(pipes[i][1]);
      streams_[i] = pipes[i][0];
    }
  }
  ~ToolProcess() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      finish();
    }
  }
  ToolProcess(const ToolProcess&) = delete;
  ToolProcess& operator=(const ToolProcess&) = delete;

  void send(int signal) const { ::kill(child_, signal); }

  /// Returns once the tool has written `text` on standard error; false if it ended without.
  bool wait_for(const std::string& text) {
    while (result_.err.find(text) == std::string::npos) {
      if (!read_some()) return false;
    }
    return true;
  }

  /// Reads to the end and returns how it ended.
  ToolResult finish() {
    while (read_some()) {
    }
    for (int& stream : streams_) {
      if (stream >= 0) ::close(stream);
      stream = -1;
    }
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = -1;
    if (WIFEXITED(status)) result_.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    result_.out = unwrapped(result_.out);
    result_.err = unwrapped(result_.err);
    return result_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int kCannotStart = 127;

  [[noreturn]] static void run_child(char** arguments, int out, int err,
                                     const ToolOptions& options) {
    bool good = true;
    if (!options.out_path.empty()) out = ::open(options.out_path.c_str(), O_WRONLY | O_CLOEXEC);
    if (!options.err_path.empty()) err = ::open(options.err_path.c_str(), O_WRONLY | O_CLOEXEC);
    good = ::dup2(out, STDOUT_FILENO) >= 0 && ::dup2(err, STDERR_FILENO) >= 0;
    const int in = ::open(options.in_path.c_str(), O_RDONLY | O_CLOEXEC);
    good = good && ::dup2(in, STDIN_FILENO) >= 0;
    for (const auto& [name, value] : options.environment)
      good = good && ::setenv(name.c_str(), value.c_str(), 1) == 0;
    if (!options.folder.empty()) good = good && ::chdir(options.folder.c_str()) == 0;
    if (options.max_file_bytes) {
      const rlimit limit = {*options.max_file_bytes, *options.max_file_bytes};
      good = good && ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
    }
    if (options.uid) {
      good = good && ::setgroups(0, nullptr) == 0 && ::setgid(*options.uid) == 0 &&
             ::setuid(*options.uid) == 0;
    }
    if (good) ::execv(EQUINOISE_CLI, arguments);
    ::_exit(kCannotStart);
  }

  /// Waits for output and keeps it; false at the end of both streams. Kills the tool at the
  /// deadline.
  bool read_some() {
    std::array<pollfd, 2> waiting = {};
    for (size_t i = 0; i < 2; ++i) waiting[i] = {streams_[i], POLLIN, 0};
    if (streams_[0] < 0 && streams_[1] < 0) return false;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    const int ready = left > 0 ? ::poll(waiting.data(), 2, static_cast<int>(left)) : 0;
    if (ready == 0) {
      result_.timed_out = true;
      send(SIGKILL);
      return false;
    }
    for (size_t i = 0; i < 2; ++i) {
      if (ready < 0 || waiting[i].revents == 0) continue;
      std::array<char, 65536> buffer;
      const ssize_t count = ::read(streams_[i], buffer.data(), buffer.size());
      if (count > 0) {
        (i == 0 ? result_.out : result_.err).append(buffer.data(), static_cast<size_t>(count));
      } else if (count == 0 || errno != EINTR) {
        ::close(streams_[i]);
        streams_[i] = -1;
      }
    }
    return true;
  }

  Clock::time_point deadline_;
  pid_t child_ = -1;
  std::array<int, 2> streams_ = {-1, -1};
  ToolResult result_;
};

/// Runs the tool to its end.
inline ToolResult run_tool(const Words& words, const ToolOptions& options = {}) {
  return ToolProcess(words, options).finish();
}

/// The result of a command that must end with code 0; else it ends the test.
inline ToolResult ok(ToolResult result,
                     std::source_location where = std::source_location::current()) {
  if (result.exit_code != 0) {
    ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line())) << result;
    throw Error(ErrorKind::kRuntime, "tests", "a command failed");
  }
  return result;
}

/// One text or several.
class Texts : public std::vector<std::string> {
 public:
  using std::vector<std::string>::vector;
  Texts(std::string text) : vector({std::move(text)}) {}  // NOLINT(google-explicit-constructor)
  Texts(const char* text) : vector({text}) {}             // NOLINT(google-explicit-constructor)
};

/// That a command ended with that code, and standard error has these texts.
inline void expect_error(const ToolResult& result, int exit_code, const Texts& texts = {},
                         std::source_location where = std::source_location::current()) {
  const ::testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "");
  EXPECT_EQ(result.exit_code, exit_code) << result;
  for (const std::string& text : texts) EXPECT_THAT(result.err, HasSubstr(text));
}

/// Fails the test for each key that the object lacks.
inline void expect_keys(const Json& json, const Words& keys) {
  for (const std::string& key : keys) {
    EXPECT_TRUE(json.contains(key)) << "no key " << key << " in " << json.dump(2).substr(0, 2000);
  }
}

/// The content of a file, "" if there is none.
inline std::string read_bytes(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return "";
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The one JSON object on standard output; fails the test if anything else is there, or if the
/// object does not fit the JSON Schema of its kind.
inline Json json_of(const ToolResult& result) {
  const Json json = Json::parse(result.out, nullptr, false);
  EXPECT_TRUE(json.is_object()) << result;
  if (!json.is_object()) return Json::object();
  const std::string file = schema_file_of(json.value("kind", ""));
  const Json schema =
      Json::parse(read_bytes(std::filesystem::path(EQUINOISE_SOURCE_DIR) / "docs/schemas" / file),
                  nullptr, false);
  EXPECT_TRUE(schema.is_object()) << "no " << file;
  EXPECT_EQ(problem_in(json, schema, file), "") << result;
  return json;
}

/// The words one after another.
inline Words join(Words words, const Words& more) {
  append(words, more);
  return words;
}

/// A user without rights, if the tests run as one who may do everything.
inline std::optional<uid_t> unprivileged() {
  constexpr uid_t kNobody = 65534;
  return ::geteuid() == 0 ? std::optional<uid_t>(kNobody) : std::nullopt;
}

}  // namespace equinoise::testing
