// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/method_options.h"
#include "cli/run_file_options.h"
#include "equinoise/base/error.h"

namespace equinoise::cli {

namespace {

/// Options of a command would do nothing for the one below it that is run. Errors: kUsage.
void refuse_options_before(const CLI::App& command) {
  const CLI::App& parent = *command.get_parent();
  for (const CLI::Option* option : parent.get_options()) {
    const std::string flag = long_flag(*option);
    const bool is_common = flag == "--json" || flag == "--quiet" || flag == "--threads";
    if (option->count() == 0 || is_common || flag.empty()) continue;
    throw Error(ErrorKind::kUsage, "cli",
                "{} before {} does nothing for {}; write it behind that word, if {} "
                "has such an option",
                flag, command.get_name(), path_of(command), path_of(command));
  }
}

/// CLI11 reads an empty value as 0 or as "not given": most likely an unset variable of a script.
void refuse_empty_values(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    option->check(
        [](const std::string& value) { return std::string(value.empty() ? kEmptyValue : ""); });
  }
  for (CLI::App* child : app.get_subcommands([](CLI::App*) { return true; })) {
    refuse_empty_values(*child);
  }
}

}  // namespace

CLI::App* add_command(CLI::App& parent, const CommandText& text, CommonOptions& common,
                      const std::function<void(const CLI::App& command)>& run) {
  CLI::App* command = parent.add_subcommand(text.name, text.description);
  command->footer("\nExample:\n  " + text.example + "\n");
  command->add_flag("--json", common.json, "Print one JSON object on standard output")
      ->configurable(false);
  command->add_flag("--quiet", common.quiet, "Print nothing on standard error except errors")
      ->configurable(false);
  command->get_help_ptr()->configurable(false);
  command->get_option("--help-all")->configurable(false);
  command->add_option("--threads", common.threads, "Number of threads; 0 uses all cores")
      ->check(CLI::Range(0, 1024));
  command->preparse_callback([command, &common](size_t) {
    common.kind = path_below_tool(*command);
    refuse_options_before(*command);
  });
  if (text.takes_run_file) add_config_option(*command);
  common.runs[command] = [command, run] { run(*command); };
  return command;
}

std::unique_ptr<CLI::App> make_tool_app(CommonOptions& common) {
  auto owned =
      std::make_unique<CLI::App>("Equinoise: group-fair differential privacy", "equinoise");
  CLI::App& app = *owned;
  app.set_version_flag("--version", std::string("equinoise ") + EQUINOISE_VERSION);
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Print this message with all options");
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(
      "\nExit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad input or schema, 4 budget "
      "refused,\n5 a limit or constraint fails, 6 ledger missing, locked or corrupt,\n141 "
      "the reader of standard output closed it early; files are written all the same.");
  add_schema_command(app, common);
  add_ledger_command(app, common);
  add_account_command(app, common);
  add_plan_command(app, common);
  add_train_command(app, common);
  add_compare_command(app, common);
  add_count_command(app, common);
  add_report_command(app, common);
  add_means_command(app, common);
  add_tables_command(app, common);
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
  return owned;
}

}  // namespace equinoise::cli
