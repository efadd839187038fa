// SPDX-License-Identifier: Apache-2.0
#include "cli/command_tree.h"

#include "equinoise/base/lists.h"
#include "equinoise/report/page/text_table.h"

namespace equinoise::cli {

namespace {

/// The range of "{a,b}" in the type of an option, "TEXT:{a,b}": the positions of ":{" and "}"; both
/// npos if there is none.
std::pair<size_t, size_t> find_words(const std::string& type) {
  const size_t begin = type.find(":{");
  return {begin, begin == std::string::npos ? begin : type.find('}', begin)};
}

}  // namespace

std::vector<std::string> known_words(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto [begin, end] = find_words(type);
  if (end == std::string::npos) return {};
  return CLI::detail::split(type.substr(begin + 2, end - begin - 2), ',');
}

std::string facts_of(const CLI::Option& option) {
  std::string text = CLI::Formatter().make_option_opts(&option);
  const std::string repeated = std::string(kNamesType) + " ...";
  const size_t place = text.find(repeated);
  return place == text.npos ? text : text.replace(place, repeated.size(), kNamesType);
}

std::string HelpFormatter::make_help(const CLI::App* command, std::string name,
                                     CLI::AppFormatMode mode) const {
  HelpFormatter layer = *this;
  layer.shows_all_ = mode == CLI::AppFormatMode::All;
  std::string text =
      layer.Formatter::make_help(command, std::move(name), CLI::AppFormatMode::Normal);
  // Groups that are not shown leave their blank lines.
  for (size_t gap = 0; (gap = text.find("\n\n\n", gap)) != std::string::npos;) text.erase(gap, 1);
  return wrapped(text, get_column_width());
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  const bool is_shown = shows_all_ ? group != kNotShown : is_positional || group == kCommonOptions;
  return is_shown ? Formatter::make_group(std::move(group), is_positional, std::move(options)) : "";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  constexpr size_t kMaxShown = 40;
  std::string text = facts_of(*option);
  const auto [begin, end] = find_words(text);
  if (end != std::string::npos && end - begin > kMaxShown) text.erase(begin, end + 1 - begin);
  return text;
}

std::string path_of(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : path_of(*parent) + " ") + command.get_name();
}

std::string path_below_tool(const CLI::App& command) {
  const std::string path = path_of(command);
  return path.substr(path.find(' ') + 1);
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::App*> all_commands(const CLI::App& command) {
  std::vector<const CLI::App*> all = {&command};
  for (const CLI::App* child : subcommands_of(command)) {
    const std::vector<const CLI::App*> below = all_commands(*child);
    append(all, below);
  }
  return all;
}

std::vector<const CLI::Option*> flags_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> spellings_of(const CLI::Option& option) {
  std::vector<std::string> spellings;
  for (const std::string& name : option.get_snames()) spellings.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) spellings.push_back("--" + name);
  return spellings;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string value_typed(const std::vector<std::string>& words, const std::string& flag) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == flag && i + 1 < words.size()) return words[i + 1];
    if (words[i].starts_with(flag + "=")) return words[i].substr(flag.size() + 1);
  }
  return "";
}

std::string shell_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

}  // namespace equinoise::cli
