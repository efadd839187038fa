// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/base/method_option.h"

namespace equinoise::cli {

/// "--strict-bound", also for an option that help does not show; "" for one without a long flag.
std::string long_flag(const CLI::Option& option);

/// "strict_bound" for --strict-bound.
std::string name_of(std::string_view flag);

/// The --help text of an option, with its default if that is not a constant.
std::string help_of(const OptionFacts& facts);

/// The value chosen with a flag, e.g. "dpsgd" with "--method".
struct Choice {
  std::string_view flag;
  std::string_view name;
};

/// Refuses options without an effect. Errors: kUsage if `flag` was given but the choice is not
/// among the names `used_by`; the message names these or, if they are fewer, the `others`.
void require_used(const CLI::App& command, const std::string& flag, const Choice& choice,
                  const std::vector<std::string_view>& used_by,
                  const std::vector<std::string_view>& others = {});

/// The same for all options of the command, by the rows of a registry. An option that some row
/// follows must not be given if the chosen row does not follow it.
template <typename Rows>
void require_used(const CLI::App& command, const Choice& choice, const Rows& rows) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string flag = long_flag(*option);
    const std::string name = name_of(flag);
    std::vector<std::string_view> used_by;
    std::vector<std::string_view> others;
    for (const auto& row : rows) (row.follows(name) ? used_by : others).push_back(row.name);
    if (!used_by.empty()) require_used(command, flag, choice, used_by, others);
  }
}

/// The same for options that depend on another option: refuses one that has no effect with the
/// value chosen there.
template <typename Config>
void require_dependencies(const CLI::App& command, std::span<const MethodOption<Config>> options,
                          const Config& config) {
  for (const MethodOption<Config>& option : options) {
    const OptionFacts& facts = option.facts;
    const std::optional<std::string> chosen = unused_by(option, options, config);
    if (!chosen) continue;
    const std::string depends_on = flag_of(facts.depends_on);
    require_used(
        command, flag_of(facts.name), {depends_on, *chosen},
        facts.on_words.empty() ? std::vector<std::string_view>{"larger ones"} : facts.on_words);
  }
}

}  // namespace equinoise::cli
