// SPDX-License-Identifier: Apache-2.0
#include "cli/tool.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/proposals.h"
#include "cli/run_file_options.h"
#include "equinoise/engines/engine_url.h"

namespace equinoise::cli {

namespace {

/// A word without the folders of a file's path from the root, which may name people or projects:
/// "/home/ann/adult.csv", "--data=/home/ann/adult.csv", "duckdb:/home/ann/adult.duckdb#people".
std::string without_folders(std::string word) {
  constexpr std::string_view kDuckDb = "duckdb:";
  size_t path = word.starts_with("--") ? word.find('=') + 1 : 0;
  size_t end = word.size();
  if (word.substr(path).starts_with(kDuckDb)) {
    path += kDuckDb.size();
    end = std::min(word.find('#', path), end);
  }
  const size_t name = word.find_last_not_of('/', end - 1);
  if (word[path] != '/' || name == word.npos || name <= path) return word;
  return word.erase(path, word.find_last_of('/', name) + 1 - path);
}

/// The command that a parsed line names.
const CLI::App& command_of(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

/// The command line, quoted so that it can be typed again where its files are. Pages that anybody
/// may read hold it.
std::string quote_command_line(const std::vector<std::string>& words) {
  std::string text = "equinoise";
  for (const std::string& full : words) {
    const std::string word = without_folders(full);
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789-_=./:,+@%") == std::string::npos;
    text += " " + (plain ? word : shell_quoted(word));
  }
  return text;
}

/// Refuses words that are not UTF-8. Outputs may repeat the command line, and JSON holds UTF-8
/// only, so such a word could fail a run after its budget is spent.
void require_utf8(const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    try {
      static_cast<void>(nlohmann::json(words[i]).dump());
    } catch (const nlohmann::json::exception&) {
      throw Error(ErrorKind::kUsage, "cli",
                  "argument {} is not UTF-8; if it names a file, rename the file", i + 1);
    }
  }
}

/// Refuses "--ledger=", as an empty word after --ledger is refused. CLI11 would take the next word
/// as the value.
void refuse_flags_without_value(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      throw CLI::ValidationError(word.substr(0, word.size() - 1), kEmptyValue);
  }
}

/// Throws the problems. `places`: the lines of a run file that caused them, or "".
[[noreturn]] void refuse_words(const std::vector<std::string>& problems, std::string_view advice,
                               const std::string& places) {
  std::string told;
  for (const std::string& problem : problems) told += fmt::format("equinoise: {}\n", problem);
  std::string text = fmt::format("{}\n{}", fmt::join(problems, "\n"), places);
  text.pop_back();
  throw UsageError(std::move(text), fmt::format("{}{}{}", told, advice, places));
}

/// Prints help, or throws the problems with the words.
void answer_parse_error(CLI::App& app, const CLI::ParseError& error,
                        const std::vector<RunFileSetting>& from_file, ToolHost& host) {
  if (error.get_exit_code() == 0) {
    std::ostringstream out;
    app.exit(error, out, out);
    host.print(out.str());
    host.flush();
    return;
  }
  const std::vector<std::string> unknown = app.remaining(true);
  std::vector<std::string> problems;
  if (!unknown.empty()) problems = proposals_for(app, unknown);
  if (problems.empty()) problems.emplace_back(error.what());
  refuse_words(problems, "Run with --help for the options and an example.\n",
               places_of(from_file, error.what()));
}

}  // namespace

int run_tool(const std::vector<std::string>& words, ToolHost& host) {
  CommonOptions common{host};
  common.command_line = quote_command_line(words);
  common.method = value_typed(words, "--method");  // --help shows its own options
  const std::unique_ptr<CLI::App> app = make_tool_app(common);
  RunFileWords run;
  try {
    require_utf8(words);
    run = expand_run_file(*app, words);
    for (const std::string& note : run.notes) host.tell(fmt::format("equinoise: {}\n", note));
    refuse_flags_without_value(run.words);
    std::ranges::reverse(run.words);  // as CLI11 takes them
    app->parse(run.words);
    const std::function<void()>& run_command = common.runs.at(&command_of(*app));
    run_command();
    host.flush();
  } catch (const CLI::ParseError& error) {
    answer_parse_error(*app, error, run.added, host);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::kThreshold) {
      host.tell(fmt::format("equinoise: {}\n", error.what()));
      return static_cast<int>(error.kind());
    }
    const std::string places =
        error.kind() == ErrorKind::kUsage ? places_of(run.added, error.what()) : "";
    if (places.empty()) throw;
    refuse_words({error.what()}, "", places);
  }
  return 0;
}

TableSource ToolHost::table(const std::string& name) { return table_at(name); }

}  // namespace equinoise::cli
