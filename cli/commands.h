// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cli/tool_host.h"

namespace equinoise::cli {

/// Options that every command has, and where it runs.
struct CommonOptions {
  ToolHost& host;
  bool json = false;
  bool quiet = false;
  int threads = 0;  ///< 0: all cores
  std::string command_line = {};
  std::string kind = {};    ///< of its JSON: the command, "schema check"
  std::string method = {};  ///< the value of --method, read before parsing; "" if there is none
  /// The work of each command, once the line is parsed.
  std::map<const CLI::App*, std::function<void()>> runs = {};

  template <typename... Values>
  void print(fmt::format_string<Values...> format, Values&&... values) const {
    host.print(fmt::format(format, std::forward<Values>(values)...));
  }
  void tell(const std::string& text) const { host.tell(text); }
  std::unique_ptr<TrainProgress> make_progress() const { return host.make_progress(quiet); }
};

/// The problem of an option whose value is an empty text.
inline constexpr const char* kEmptyValue = "the value is empty";

/// The tool with its help and all of its commands. `common` must outlive it.
std::unique_ptr<CLI::App> make_tool_app(CommonOptions& common);

/// The name of a command, its description, and an example for the end of its --help.
struct CommandText {
  std::string name;
  std::string description;
  std::string example;
  bool takes_run_file = false;
};

/// A command with the common options added; `example` is shown below its --help. `run` gets it with
/// what the line says.
CLI::App* add_command(CLI::App& parent, const CommandText& text, CommonOptions& common,
                      const std::function<void(const CLI::App& command)>& run);

void add_schema_command(CLI::App& app, CommonOptions& common);
void add_ledger_command(CLI::App& app, CommonOptions& common);
void add_account_command(CLI::App& app, CommonOptions& common);
void add_plan_command(CLI::App& app, CommonOptions& common);
void add_train_command(CLI::App& app, CommonOptions& common);
void add_compare_command(CLI::App& app, CommonOptions& common);
void add_count_command(CLI::App& app, CommonOptions& common);
void add_report_command(CLI::App& app, CommonOptions& common);
void add_means_command(CLI::App& app, CommonOptions& common);
void add_tables_command(CLI::App& app, CommonOptions& common);
void add_predict_command(CLI::App& app, CommonOptions& common);
void add_audit_command(CLI::App& app, CommonOptions& common);
void add_infer_command(CLI::App& app, CommonOptions& common);
void add_methods_command(CLI::App& app, CommonOptions& common);
void add_reproduce_command(CLI::App& app, CommonOptions& common);
void add_synth_command(CLI::App& app, CommonOptions& common);
void add_selftest_command(CLI::App& app, CommonOptions& common);

/// Both describe all commands that `app` has when they run.
void add_completion_command(CLI::App& app, CommonOptions& common);
void add_manual_command(CLI::App& app, CommonOptions& common);

/// Below `plan`.
void add_plan_means_command(CLI::App& plan, CommonOptions& common);

}  // namespace equinoise::cli
