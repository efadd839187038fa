// SPDX-License-Identifier: Apache-2.0
#include "cli/method_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise::cli {

std::string long_flag(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  return names.empty() ? "" : "--" + names.front();
}

std::string name_of(std::string_view flag) {
  std::string name(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string help_of(const OptionFacts& facts) {
  std::string help(facts.help);
  if (!facts.derived.empty()) help += fmt::format(" [{}]", facts.derived);
  return help;
}

void require_used(const CLI::App& command, const std::string& flag, const Choice& choice,
                  const std::vector<std::string_view>& used_by,
                  const std::vector<std::string_view>& others) {
  if (command.get_option(flag)->count() == 0 || contains(used_by, choice.name)) return;
  const bool few_others = !others.empty() && others.size() < used_by.size();
  throw Error(ErrorKind::kUsage, "cli.method_options",
              "{} has no effect with {} {} (used {} {}); leave it out", flag, choice.flag,
              choice.name, few_others ? "by all but" : "only by",
              fmt::join(few_others ? others : used_by, ", "));
}

}  // namespace equinoise::cli
