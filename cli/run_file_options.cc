// SPDX-License-Identifier: Apache-2.0
#include "cli/run_file_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "cli/command_tree.h"
#include "cli/method_options.h"
#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/base/nearest_name.h"
#include "equinoise/base/quotes.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise::cli {

namespace {

constexpr const char* kFlag = "--config";

[[noreturn]] void fail(const RunFileSetting& setting, const std::string& problem) {
  throw Error(ErrorKind::kInput, "cli.run_file", "{}: {}", setting.place, problem);
}

/// The command at the beginning of the words, its name and how many words that takes.
struct NamedCommand {
  CLI::App* command;
  std::string name;  ///< "plan means"
  size_t num_words;
};

/// The command of that name below another one, or nullptr.
CLI::App* find_child(CLI::App& parent, const std::string& name) {
  for (CLI::App* child : parent.get_subcommands([](CLI::App*) { return true; }))
    if (child->get_name() == name) return child;
  return nullptr;
}

NamedCommand find_command(CLI::App& app, const std::vector<std::string>& words) {
  NamedCommand found{&app, "", 0};
  for (const std::string& word : words) {
    CLI::App* child = find_child(*found.command, word);
    if (child == nullptr) break;
    found = {child, found.name.empty() ? word : found.name + " " + word, found.num_words + 1};
  }
  return found;
}

/// Whether the flag may be given without a value.
bool may_lack_value(const CLI::Option& option) { return option.get_items_expected_min() == 0; }

bool is_number(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.find("FLOAT") == 0 || type.find("INT") == 0 || type.find("UINT") == 0;
}

bool is_typed(const std::vector<std::string>& words, const std::string& flag) {
  return std::ranges::any_of(
      words, [&](const std::string& word) { return word == flag || word.starts_with(flag + "="); });
}

/// The words that a user would type for a value, one for each item.
std::vector<std::string> typed(const OptionValue& value) {
  return std::visit(
      [](const auto& held) -> std::vector<std::string> {
        using Held = std::decay_t<decltype(held)>;
        std::vector<std::string> words;
        if constexpr (std::is_same_v<Held, std::vector<double>>) {
          return written(held);
        } else if constexpr (std::is_same_v<Held, std::vector<std::string>>) {
          return held;
        } else if constexpr (std::is_same_v<Held, std::map<std::string, double>>) {
          for (const auto& [name, number] : held)
            words.push_back(name.empty() ? fmt::format("{}", number)
                                         : fmt::format("{}={}", name, number));
          return words;
        } else {
          return {fmt::format("{}", held)};
        }
      },
      value);
}

/// The words that set an option as a line of a run file does.
std::vector<std::string> words_of_setting(const RunFileSetting& setting, const CLI::Option& option,
                                          const std::string& flag) {
  const auto& [name, value] = setting.setting;
  const auto* truth = std::get_if<bool>(&value);
  if (truth != nullptr && may_lack_value(option))
    return *truth ? std::vector<std::string>{flag} : std::vector<std::string>();
  if (truth != nullptr) fail(setting, fmt::format("{} needs a value, not true or false", name));
  if (!takes_value(option))
    fail(setting, fmt::format("{0} must be true or false: {0} = true", name));
  const bool is_text = std::holds_alternative<std::string>(value) ||
                       std::holds_alternative<std::vector<std::string>>(value);
  std::vector<std::string> words;
  const bool are_names = option.get_type_name() == kNamesType;
  for (const std::string& word : typed(value)) {
    if (is_text && is_number(option) && !parse_number(word))
      fail(setting, fmt::format("{0} must be a number without quotes, e.g. {0} = 1", name));
    if (are_names && !words.empty())
      words.back() += "," + with_quotes(word);
    else
      words.push_back(fmt::format("{}={}", flag, are_names ? with_quotes(word) : word));
  }
  return words;
}

/// "; did you mean learning_rate?", or the command that has such an option, or "".
std::string hint_for(const CLI::App& app, const CLI::App& command, const std::string& name) {
  const bool is_spelled_so = command.get_option_no_throw(flag_of(name)) == nullptr;
  for (const CLI::App* other : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (is_spelled_so && other->get_option_no_throw(flag_of(name)) != nullptr)
      return fmt::format("; it is an option of equinoise {}", other->get_name());
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options())
    if (option->get_configurable()) known.push_back(name_of(long_flag(*option)));
  const std::string nearest = nearest_name(name, known);
  return nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
}

bool holds_word(std::string_view text, std::string_view word) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
  };
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}

}  // namespace

void add_config_option(CLI::App& command) {
  command
      .add_option_function<std::string>(
          kFlag, [](const std::string&) {},
          "Run file (TOML) with options of this command by name, such as the run.toml in every "
          "--out; options on the command line take precedence over those in the file")
      ->type_name("FILE")
      ->configurable(false);
}

RunFileWords expand_run_file(CLI::App& app, const std::vector<std::string>& words) {
  const NamedCommand named = find_command(app, words);
  const std::string path = value_typed(words, kFlag);
  if (path.empty() || named.command->get_option_no_throw(kFlag) == nullptr) return {words, {}, {}};
  const RunFile file = read_run_file(path);
  // A plan also reads the run file of the command that it plans. It ignores options that only the
  // run itself has.
  const std::string planned = named.name == "plan"         ? "train"
                              : named.name == "plan means" ? "means"
                                                           : "";
  if (file.command != named.name && file.command != planned) {
    throw Error(ErrorKind::kInput, "cli.run_file",
                "{}: is a run file for equinoise {}, not for equinoise {}", path, file.command,
                named.name);
  }
  const CLI::App* run = find_child(app, planned);
  RunFileWords result;
  std::vector<std::string> added;
  for (const RunFileSetting& setting : file.settings) {
    const std::string& name = setting.setting.name;
    const std::string flag = flag_of(name);
    const CLI::Option* option = named.command->get_option_no_throw(flag);
    if (option == nullptr && run != nullptr && run->get_option_no_throw(flag) != nullptr) continue;
    if (option == nullptr || name_of(flag) != name) {
      fail(setting, fmt::format("{} is not an option of equinoise {}{}", name, named.name,
                                hint_for(app, *named.command, name)));
    }
    if (!option->get_configurable())
      fail(setting, fmt::format("{} belongs on the command line: {}", name, flag));
    if (is_typed(words, flag)) {
      result.notes.push_back(fmt::format("{} on the command line takes precedence over {} in {}",
                                         flag, name, setting.place));
      continue;
    }
    const std::vector<std::string> typed_words = words_of_setting(setting, *option, flag);
    append(added, typed_words);
    result.added.push_back(setting);
  }
  const auto behind = words.begin() + static_cast<std::ptrdiff_t>(named.num_words);
  result.words.assign(words.begin(), behind);
  append(result.words, added);
  result.words.insert(result.words.end(), behind, words.end());
  return result;
}

std::string places_of(const std::vector<RunFileSetting>& settings, std::string_view message) {
  std::string text;
  for (const RunFileSetting& setting : settings) {
    const std::string& name = setting.setting.name;
    if (holds_word(message, name) || holds_word(message, flag_of(name)))
      text += fmt::format("{}: {} is set there\n", setting.place, name);
  }
  return text;
}

std::vector<Setting> asked_settings(const CLI::App& command) {
  std::vector<Setting> settings;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = name_of(long_flag(*option));
    if (option->count() == 0 || !option->get_configurable() || name.empty()) continue;
    std::vector<std::string> words = option->results();
    if (option->get_type_name() == kNamesType) {
      std::vector<std::string> names;
      for (const std::string& word : words)
        for (std::string& part : split_names(word)) names.push_back(std::move(part));
      words = std::move(names);
    }
    if (!takes_value(*option) || (may_lack_value(*option) && words.back().empty())) {
      settings.push_back({name, true});
      continue;
    }
    std::vector<double> numbers;
    for (const std::string& word : words) {
      // A seed may have more digits than a double holds.
      const std::optional<double> number = is_number(*option) ? parse_number(word) : std::nullopt;
      if (number && std::isfinite(*number) && !is_rounded_whole(word, *number))
        numbers.push_back(*number);
    }
    const bool is_list = option->get_items_expected_max() > 1 || option->get_delimiter() != '\0';
    if (numbers.size() == words.size()) {
      settings.push_back({name, is_list ? OptionValue(numbers) : to_option_value(numbers.back())});
    } else {
      settings.push_back({name, is_list ? OptionValue(words) : OptionValue(words.back())});
    }
  }
  return settings;
}

}  // namespace equinoise::cli
