// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/run_file_options.h"
#include "equinoise/base/error.h"
#include "equinoise/report/field_json.h"
#include "equinoise/report/page/document.h"
#include "equinoise/tasks/input/request_option.h"

namespace equinoise::cli {

/// Adds a flag for each option. What the options point to must outlive parsing.
void add_options(CLI::App& command, const RequestOptions& options, const CommonOptions& common);

/// Checks which options were given together. Errors: kUsage; CLI::RequiredError.
void check_given(const CLI::App& command, const RequestOptions& options);

/// Lets commands below this one be called without its required options.
void allow_commands_below(CLI::App& command);

/// Whether the command line or the run file has the option of that name.
bool is_given(const CLI::App& command, std::string_view name);

/// The number of threads: all cores if nobody chose one.
int num_threads(const CommonOptions& common);

void print_json(const nlohmann::ordered_json& document, const CommonOptions& common);

/// Prints an answer as a document of that kind, "": that of the command.
template <HasFields Answer>
void print_json(const Answer& answer, const CommonOptions& common, std::string_view kind = "") {
  print_json(document_of(kind.empty() ? common.kind : kind, answer), common);
}

/// Prints an answer in the form that was asked for.
template <HasFields Answer>
void print_report(const Answer& answer, const std::string& text, const CommonOptions& common,
                  std::string_view kind = "") {
  if (common.json) {
    print_json(answer, common, kind);
  } else {
    common.print("{}", text);
  }
}

/// The same, of a report; the other form is not made. `verbose`: on the screen, see to_screen.
template <typename Report>
void print_report(const Report& report, nlohmann::ordered_json (*to_json)(const Report&),
                  Document (*to_document)(const Report&), const CommonOptions& common,
                  bool verbose = false) {
  if (common.json) {
    print_json(to_json(report), common);
  } else {
    common.print("{}", to_screen(to_document(report), verbose));
  }
}

/// Has a request for rows write them to standard output, if its --out is "-"; returns whether it
/// does. Errors: kUsage if JSON would go there as well.
template <typename Request>
bool takes_standard_output(std::string_view where, const CommonOptions& common, Request& request) {
  if (request.out_path != "-") return false;
  if (common.json) {
    throw Error(ErrorKind::kUsage, where,
                "--json and --out - both need standard output; name a file with --out");
  }
  request.write = [&common](std::string_view rows) { common.host.print(rows); };
  return true;
}

/// Ends rows on standard output and tells what there is to say of them elsewhere.
void tell_beside_rows(const std::string& text, const CommonOptions& common);

/// Sets what a request is told by all commands alike, where it has it.
template <typename Request>
void complete(const CLI::App& command, const CommonOptions& common, Request& request) {
  if constexpr (requires { request.threads; }) request.threads = num_threads(common);
  if constexpr (requires { request.command; }) request.command = common.command_line;
  if constexpr (requires { request.asked; }) request.asked = asked_settings(command);
}

/// A command for a request with these options. `run` gets the request as the command line describes
/// it.
template <typename Request, typename Run>
CLI::App* add_request_command(CLI::App& parent, const CommandText& text, CommonOptions& common,
                              Run run, const std::shared_ptr<Request>& request,
                              const RequestOptions& options) {
  const auto run_request = [request, options, &common, run](const CLI::App& given) {
    check_given(given, options);
    complete(given, common, *request);
    run(given, *request, common);
  };
  CLI::App* command = add_command(parent, text, common, run_request);
  add_options(*command, options, common);
  return command;
}

/// The same with the options that the request declares.
template <typename Request, typename Run>
CLI::App* add_request_command(CLI::App& parent, const CommandText& text, CommonOptions& common,
                              Run run) {
  const auto request = std::make_shared<Request>();
  return add_request_command(parent, text, common, run, request, options_of(*request));
}

}  // namespace equinoise::cli
