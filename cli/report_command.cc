// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include "cli/answers.h"
#include "cli/commands.h"
#include "cli/request_options.h"
#include "equinoise/tasks/report/rebuilt_page.h"

namespace equinoise::cli {

namespace {

struct ReportOptions {
  std::string folder;
  bool opens = false;
};

RequestOptions options_of(ReportOptions& options) {
  return {
      {{.name = "folder",
        .help =
            "Folder that equinoise train, compare, tables, means, synth or synth evaluate wrote",
        .is_required = true},
       &options.folder,
       true},
      {{.name = "open",
        .help = "Also show the page, by $BROWSER or xdg-open where there is a screen"},
       &options.opens}};
}

std::string text_of_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Starts a program with one argument and does not wait for it: no shell looks at either. Returns
/// the error, 0 for none.
int start(std::string program, std::string argument) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A session of its own lets the program outlive this one. The tool ignores signals that the
  // program need not ignore.
  sigset_t by_default;
  sigemptyset(&by_default);
  for (const int signal : {SIGPIPE, SIGXFSZ}) sigaddset(&by_default, signal);
  posix_spawnattr_setsigdefault(&attributes, &by_default);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
  char* const words[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), &files, &attributes, words, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/// Shows a page by $BROWSER or xdg-open. Returns why it does not, or "".
std::string why_not_opened(const std::filesystem::path& page) {
  std::string browser = text_of_variable("BROWSER");
  browser.resize(std::min(browser.size(), browser.find(':')));  // the first of several
  if (browser.empty()) {
    if (text_of_variable("DISPLAY").empty() && text_of_variable("WAYLAND_DISPLAY").empty())
      return "there is no screen here";
    browser = "xdg-open";
  }
  const int error = start(browser, std::filesystem::absolute(page).string());
  if (error == 0) return "";
  return fmt::format("{} does not start: {}", browser, std::generic_category().message(error));
}

void run_report(const CLI::App&, const ReportOptions& options, const CommonOptions& common) {
  const RebuiltPage rebuilt = rebuild_page(options.folder);
  const std::string& page = rebuilt.page.path;
  const std::string problem = options.opens ? why_not_opened(page) : "";
  print_report(PageAnswer{rebuilt.command, {page}, options.opens && problem.empty()},
               to_text({rebuilt.page}), common);
  if (!problem.empty()) {
    common.tell(fmt::format("equinoise: the page is not opened: {}; open {} in a browser\n",
                            problem, page));
  }
}

}  // namespace

void add_report_command(CLI::App& app, CommonOptions& common) {
  add_request_command<ReportOptions>(
      app,
      {"report",
       "Make report.html of a folder of train, compare, means, synth "
       "or synth evaluate again, from its JSON alone",
       "equinoise report compared --open"},
      common, run_report);
}

}  // namespace equinoise::cli
