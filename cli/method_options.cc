// SPDX-License-Identifier: Apache-2.0
#include "cli/method_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command_tree.h"
#include "cli/name_options.h"
#include "equinoise/base/error.h"
#include "equinoise/data/values/parse_number.h"

namespace equinoise::cli {

namespace {

template <typename Value>
CLI::Option* add_value(CLI::App& command, const OptionFacts& facts, Value& value) {
  CLI::Option* option = command.add_option(flag_of(facts.name), value, help_of(facts));
  if (facts.derived.empty()) option->capture_default_str();
  if (!facts.choices.empty()) option->check(KnownWords(facts.choices));
  return option;
}

}  // namespace

std::string long_flag(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  return names.empty() ? "" : "--" + names.front();
}

std::string name_of(std::string_view flag) {
  std::string name(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::string help_of(const OptionFacts& facts) {
  std::string help(facts.help);
  if (!facts.derived.empty()) help += fmt::format(" [{}]", facts.derived);
  return help;
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts, double& value) {
  return add_value(command, facts, value);
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts, int& value) {
  return add_value(command, facts, value);
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts, int64_t& value) {
  return add_value(command, facts, value);
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts, size_t& value) {
  return add_value(command, facts, value)->check(check_seed);
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts, std::optional<double>& value) {
  return command.add_option(flag_of(facts.name), value, help_of(facts));
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts, std::string& value) {
  return add_value(command, facts, value);
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts, std::vector<double>& values) {
  return add_value(command, facts, values)->delimiter(',');
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts, std::vector<size_t>& values) {
  // Sizes have no sign, and what reads them takes one away.
  return add_value(command, facts, values)->delimiter(',')->check([](const std::string& text) {
    return text.starts_with('-') ? fmt::format("a size is not negative, got {}", text) : "";
  });
}

CLI::Option* add_word(CLI::App& command, const OptionFacts& facts, const std::string& usual,
                      const std::function<void(const std::string&)>& set) {
  return command
      .add_option_function<std::string>(
          flag_of(facts.name),
          [facts, set](const std::string& word) {
            check_value("cli.method_options", facts, word);
            set(word);
          },
          help_of(facts))
      ->check(KnownWords(facts.choices))
      ->default_str(usual);
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts,
                       std::vector<std::string>& values) {
  return add_names(command, flag_of(facts.name), values, help_of(facts));
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts,
                       std::map<std::string, double>& values) {
  return add_named_numbers(command, flag_of(facts.name), values, help_of(facts));
}

CLI::Option* add_field(CLI::App& command, const OptionFacts& facts, double& all,
                       std::map<std::string, double>& named) {
  const std::string flag = flag_of(facts.name);
  return command
      .add_option_function<std::vector<std::string>>(
          flag,
          [flag, &all, &named](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const std::optional<double> number = parse_number(text);
              if (number) {
                all = *number;
              } else {
                read_named_number(flag, text, named);
              }
            }
          },
          help_of(facts))
      ->default_str(fmt::format("{}", all))
      ->allow_extra_args(false);
}

void require_used(const CLI::App& command, const std::string& flag, const Choice& choice,
                  const std::vector<std::string_view>& used_by,
                  const std::vector<std::string_view>& others) {
  if (command.get_option(flag)->count() == 0) return;
  const auto uses = [&](std::string_view name) {
    return std::find(used_by.begin(), used_by.end(), name) != used_by.end();
  };
  if (uses(choice.name) || uses(choice.beside)) return;
  const bool few_others = !others.empty() && others.size() < used_by.size();
  throw Error(ErrorKind::kUsage, "cli.method_options",
              fmt::format("{} has no effect with {} {} (used {} {}); leave it out", flag,
                          choice.flag, choice.name, few_others ? "by all but" : "only by",
                          fmt::join(few_others ? others : used_by, ", ")));
}

}  // namespace equinoise::cli
