// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/method_options.h"
#include "cli/progress_bar.h"
#include "cli/run_file_options.h"
#include "cli/standard_error.h"
#include "cli/standard_output.h"
#include "cli/weight_options.h"
#include "equinoise/base/error.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/means/registry.h"
#include "equinoise/models/registry.h"
#include "equinoise/synth/registry.h"
#include "equinoise/tasks/input/record_weights.h"
#include "equinoise/train/registry.h"

namespace equinoise::cli {

/// What a shell says of a program that SIGPIPE ended: nobody is left to be told anything.
constexpr int kOutputClosed = 128 + SIGPIPE;

namespace {

/// Options of a command would do nothing for the one below it that is run. Errors: kUsage.
void refuse_options_before(const CLI::App& command) {
  const CLI::App& parent = *command.get_parent();
  for (const CLI::Option* option : parent.get_options()) {
    const std::string flag = long_flag(*option);
    const bool is_common = flag == "--json" || flag == "--quiet" || flag == "--threads";
    if (option->count() == 0 || is_common || flag.empty()) continue;
    throw Error(ErrorKind::kUsage, "cli",
                fmt::format("{} before {} does nothing for {}; write it behind that word, if {} "
                            "has such an option",
                            flag, command.get_name(), path_of(command), path_of(command)));
  }
}

}  // namespace

CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& example, CommonOptions& common) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->footer("\nExample:\n  " + example + "\n");
  command->add_flag("--json", common.json, "Print one JSON object on standard output")
      ->configurable(false);
  command->add_flag("--quiet", common.quiet, "Print nothing on standard error except errors")
      ->configurable(false);
  command->get_help_ptr()->configurable(false);
  command->add_option("--threads", common.threads, "Number of threads; 0 uses all cores")
      ->check(CLI::Range(0, 1024));
  command->preparse_callback([command](size_t) { refuse_options_before(*command); });
  return command;
}

namespace {

/// The command line as it could be typed again.
std::string quote_command_line(int argc, char** argv) {
  std::string text = "equinoise";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789-_=./:,+@%") == std::string::npos;
    std::string quoted = "'";
    for (char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += " " + (plain ? word : quoted + "'");
  }
  return text;
}

/// The value of --method, wherever it stands: --help shows that method's own options.
std::string find_method(int argc, char** argv) {
  constexpr std::string_view kFlag = "--method";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == kFlag && i + 1 < argc) return argv[i + 1];
    if (word.starts_with(kFlag) && word.substr(kFlag.size()).starts_with('='))
      return std::string(word.substr(kFlag.size() + 1));
  }
  return "";
}

/// The deepest command that was named on the command line.
CLI::App* innermost(CLI::App* app) {
  for (CLI::App* child : app->get_subcommands()) return innermost(child);
  return app;
}

/// Every output may repeat the command line, and JSON holds UTF-8 only: found late, a wrong byte
/// would cost a run whose budget is spent.
void require_utf8(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    try {
      static_cast<void>(nlohmann::json(argv[i]).dump());
    } catch (const nlohmann::json::exception&) {
      throw Error(ErrorKind::kUsage, "cli",
                  fmt::format("argument {} is not UTF-8; if it names a file, rename the file", i));
    }
  }
}

/// CLI11 reads an empty value as 0 or as "not given": most likely an unset variable of a script.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    option->check([](const std::string& value) {
      return value.empty() ? "the value is empty" : std::string();
    });
  }
  for (CLI::App* child : app.get_subcommands([](CLI::App*) { return true; })) {
    refuse_empty_values(*child);
  }
}

template <typename Rows>
void add_owners(const Rows& rows, const std::string& option, std::vector<std::string>& owners) {
  for (const auto& row : rows)
    if (row.follows(option)) owners.emplace_back(row.name);
}

/// ", an option of dpse, group_weighted" for one that few methods or models of a command have.
std::string owners_of(const std::string& command, const std::string& option) {
  std::vector<std::string> owners;
  if (command == "train" || command == "plan" || command == "compare") {
    add_owners(training_methods(), option, owners);
    add_owners(model_kinds(), option, owners);
  } else if (command == "means") {
    add_owners(mean_estimators(), option, owners);
  } else if (command == "synth") {
    add_owners(synthesizers(), option, owners);
  }
  constexpr size_t kFew = 6;
  return owners.empty() || owners.size() > kFew
             ? ""
             : fmt::format(", an option of {}", fmt::join(owners, ", "));
}

/// "; did you mean --data people.csv?" for a file that stands alone, or "".
std::string option_before(const std::string& file, const std::vector<std::string>& known) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return "";
  const std::string option = file.ends_with(".toml") ? "--schema" : "--data";
  if (std::find(known.begin(), known.end(), option) == known.end()) return "";
  return fmt::format("; did you mean {} {}?", option, file);
}

/// "did you mean --epsilon?" for words that no option or command took, or "".
std::string propose(CLI::App& app, const std::vector<std::string>& unknown) {
  CLI::App* command = innermost(&app);
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options()) {
    const std::string flag = long_flag(*option);
    known.push_back(flag.empty() ? option->get_name() : flag);
  }
  for (const CLI::App* child : command->get_subcommands([](CLI::App*) { return true; })) {
    known.push_back(child->get_name());
  }
  std::string text;
  bool is_of_weights = false;
  for (const std::string& word : unknown) {
    // The column is explained with its option.
    if (std::exchange(is_of_weights, false) && !word.starts_with("-")) continue;
    const std::string name = word.substr(0, word.find('='));
    const std::string nearest = nearest_name(name, known);
    const std::string why = name == kWeightOption ? why_no_weights(command->get_name()) : "";
    if (!why.empty()) {
      text += fmt::format("equinoise: {}\n", why);
      is_of_weights = word == name;
      continue;
    }
    if (nearest == name) {
      text += fmt::format("equinoise: put {} after the command {}\n", name, command->get_name());
      continue;
    }
    text += fmt::format(
        "equinoise: unknown {} {}{}\n", name.starts_with("-") ? "option" : "argument", name,
        nearest.empty() ? option_before(word, known)
                        : fmt::format("; did you mean {}{}?", nearest,
                                      owners_of(command->get_name(), name_of(nearest))));
  }
  return text;
}

int report_usage(CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const std::vector<std::string> unknown = app.remaining(true);
  const std::string proposal = unknown.empty() ? "" : propose(app, unknown);
  tell(proposal.empty() ? fmt::format("equinoise: {}\n", error.what()) : proposal);
  tell("Run with --help for the options and an example.\n");
  return static_cast<int>(ErrorKind::kUsage);
}

}  // namespace
}  // namespace equinoise::cli

int main(int argc, char** argv) {
  using namespace equinoise;
  using namespace equinoise::cli;
  // A write beyond a file-size limit or into a closed pipe must not end a run that is paid for.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);

  CommonOptions common;
  common.command_line = quote_command_line(argc, argv);
  common.method = find_method(argc, argv);
  CLI::App app("Equinoise: group-fair differential privacy", "equinoise");
  app.set_version_flag("--version", std::string("equinoise ") + EQUINOISE_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(
      "\nExit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad input or schema, 4 budget "
      "refused,\n5 audit or fairness threshold failed, 6 ledger missing, locked or corrupt,\n141 "
      "the reader of standard output closed it early; files are written all the same.");
  add_schema_command(app, common);
  add_ledger_command(app, common);
  add_account_command(app, common);
  add_plan_command(app, common);
  add_train_command(app, common);
  add_compare_command(app, common);
  add_report_command(app, common);
  add_means_command(app, common);
  add_predict_command(app, common);
  add_synth_command(app, common);
  add_audit_command(app, common);
  add_infer_command(app, common);
  add_methods_command(app, common);
  add_reproduce_command(app, common);
  add_selftest_command(app, common);
  add_completion_command(app, common);
  add_manual_command(app, common);
  refuse_empty_values(app);
  RunFileWords run;
  try {
    require_utf8(argc, argv);
    run = expand_run_file(app, {argv + 1, argv + argc});
    for (const std::string& note : run.notes) tell(fmt::format("equinoise: {}\n", note));
    std::reverse(run.words.begin(), run.words.end());  // as CLI11 takes them
    app.parse(run.words);
    flush_output();
    return 0;
  } catch (const CLI::ParseError& error) {
    const int code = report_usage(app, error);
    if (code != 0) tell(places_of(run.added, error.what()));
    return code;
  } catch (const Error& error) {
    tell(fmt::format("equinoise: {}\n", error.what()));
    if (error.kind() == ErrorKind::kUsage) tell(places_of(run.added, error.what()));
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    tell("equinoise: out of memory\n");
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) {
      tell(fmt::format("equinoise: unexpected: {}\n", error.what()));
    } else if (error.code().value() == EPIPE) {
      return kOutputClosed;
    } else {
      tell("equinoise: [cli] standard output cannot be written (disk full?)\n");
    }
  } catch (const std::exception& error) {
    tell(fmt::format("equinoise: unexpected: {}\n", error.what()));
  }
  return static_cast<int>(ErrorKind::kRuntime);
}
