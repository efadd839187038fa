// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise::cli {

/// The words that an option takes, as its type names them; empty: there are none.
std::vector<std::string> known_words(const CLI::Option& option);

/// The type that help prints for a value of names between commas.
inline constexpr const char* kNamesType = "NAME,...";

/// The facts that CLI11 prints behind the names of an option: type, words, default, what it needs
/// and excludes; without its dots after names, which are several already.
std::string facts_of(const CLI::Option& option);

/// The heading of options that help does not show. CLI11 knows such options as those without a
/// heading, but then its errors do not name them.
inline constexpr const char* kNotShown =
    "Options of single methods and models (see equinoise methods)";

/// The headings of options that --help shows, and of those without a heading of their own that only
/// --help-all does.
inline constexpr const char* kCommonOptions = "Options";
inline constexpr const char* kFurtherOptions = "Further options";

/// Help as CLI11 writes it, without options under kNotShown and without lists of words that are too
/// long for a line. --help has the options under kCommonOptions alone.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* command, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override;
  std::string make_option_opts(const CLI::Option* option) const override;

 private:
  bool shows_all_ = false;
};

/// "equinoise schema check"
std::string path_of(const CLI::App& command);

/// "schema check"
std::string path_below_tool(const CLI::App& command);

/// The command and all commands below it, each before those below it.
std::vector<const CLI::App*> all_commands(const CLI::App& command);

/// The commands right below it.
std::vector<const CLI::App*> subcommands_of(const CLI::App& command);

/// Options with a flag, in the order of their declaration; those that help does not show, too.
std::vector<const CLI::Option*> flags_of(const CLI::App& command);

/// Arguments without a flag.
std::vector<const CLI::Option*> positionals_of(const CLI::App& command);

/// "-h", "--help"
std::vector<std::string> spellings_of(const CLI::Option& option);

/// Whether a word must follow the flag.
bool takes_value(const CLI::Option& option);

/// The value that is typed for a flag at any place of a command line, or "".
std::string value_typed(const std::vector<std::string>& words, const std::string& flag);

/// 'text' as bash and zsh read it.
std::string shell_quoted(std::string_view text);

}  // namespace equinoise::cli
