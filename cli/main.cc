#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <new>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "equinoise/base/check.h"

namespace equinoise::cli {

CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& description,
                      const std::string& example, CommonOptions& common) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->footer("\nExample:\n  " + example + "\n");
  command->add_flag("--json", common.json, "Print one JSON object on standard output");
  command->add_flag("--quiet", common.quiet, "Say nothing on standard error but errors");
  command->add_option("--threads", common.threads, "Threads to use, 0 for all cores")
      ->check(CLI::Range(0, 1024));
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

/// The deepest command that was named on the command line.
CLI::App* innermost(CLI::App* app) {
  for (CLI::App* child : app->get_subcommands()) return innermost(child);
  return app;
}

/// "did you mean --epsilon?" for words that no option or command took, or "".
std::string propose(CLI::App& app, const std::vector<std::string>& unknown) {
  CLI::App* command = innermost(&app);
  std::vector<std::string> known;
  for (const CLI::Option* option : command->get_options()) known.push_back(option->get_name());
  for (const CLI::App* child : command->get_subcommands([](CLI::App*) { return true; })) {
    known.push_back(child->get_name());
  }
  std::string text;
  for (const std::string& word : unknown) {
    const std::string name = word.substr(0, word.find('='));
    const std::string nearest = nearest_name(name, known);
    text +=
        fmt::format("equinoise: unknown {} {}{}\n", name.starts_with("-") ? "option" : "argument",
                    name, nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
  }
  return text;
}

int report_usage(CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const std::vector<std::string> unknown = app.remaining(true);
  const std::string proposal = unknown.empty() ? "" : propose(app, unknown);
  fmt::print(stderr, "{}",
             proposal.empty() ? fmt::format("equinoise: {}\n", error.what()) : proposal);
  fmt::print(stderr, "Run with --help for the options and an example.\n");
  return static_cast<int>(ErrorKind::kUsage);
}

}  // namespace
}  // namespace equinoise::cli

int main(int argc, char** argv) {
  using namespace equinoise;
  using namespace equinoise::cli;
  // A write beyond a file-size limit or into a closed pipe becomes an error that is reported.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);

  CommonOptions common;
  common.command_line = quote_command_line(argc, argv);
  CLI::App app("Equinoise: group-fair differential privacy", "equinoise");
  app.set_version_flag("--version", std::string("equinoise ") + EQUINOISE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "\nExit codes: 0 ok, 1 run-time failure, 2 usage, 3 bad input or schema, 4 budget refused,\n"
      "5 audit or fairness threshold failed, 6 ledger missing, locked or corrupt.");
  add_schema_command(app, common);
  add_ledger_command(app, common);
  add_plan_command(app, common);
  add_train_command(app, common);
  add_methods_command(app, common);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
  } catch (const Error& error) {
    fmt::print(stderr, "equinoise: {}\n", error.what());
    return static_cast<int>(error.kind());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "equinoise: out of memory\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "equinoise: unexpected: {}\n", error.what());
  }
  return static_cast<int>(ErrorKind::kRuntime);
}
