// SPDX-License-Identifier: Apache-2.0
#include "cli/constraint_options.h"

namespace equinoise::cli {

void add_constraint_options(CLI::App& command, std::vector<std::string>& lines,
                            std::filesystem::path& path) {
  constexpr const char* kGroup = "Constraints";
  command
      .add_option(
          "--constraint", lines,
          "TYPE:ATTRIBUTES:SLACK, e.g. demographic_parity:sex:0.05, equalized_odds:sex,race:0.1 or "
          "group_error:race:0.2; or RATE:BOUND, e.g. fnr:0.1, tpr:sex=F:0.8 or fnr:CLASS:0.1; "
          "repeatable; in quotes where a class holds what a shell reads, as 'fnr:<=50K:0.1'")
      ->allow_extra_args(false)
      ->group(kGroup);
  // Through a string: CLI11 would cut a path at its first blank.
  command
      .add_option_function<std::string>(
          "--constraints", [&path](const std::string& file) { path = file; },
          "TOML or JSON file of constraints (docs/guide/constraints.md)")
      ->group(kGroup);
}

void add_strict_flag(CLI::App& command, bool& strict) {
  command.add_flag("--strict", strict,
                   "End with exit code 5 unless all limits and constraints hold; without it the "
                   "code is 5 only if one fails");
}

}  // namespace equinoise::cli
