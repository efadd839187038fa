#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise::cli {

/// What was chosen with a flag, as "dpsgd" with "--method".
struct Choice {
  std::string_view flag;
  std::string_view name;
  std::string_view beside = {};  ///< what it is compared with: options of that do something, too
};

/// Whoever gives an option believes that it does something. Errors: kUsage if `flag` was given and
/// what was chosen is none of the names `used_by`; names these or, where they are fewer, the
/// `others`.
void require_used(const CLI::App& command, const std::string& flag, const Choice& choice,
                  const std::vector<std::string_view>& used_by,
                  const std::vector<std::string_view>& others = {});

/// The same for all options of the command, by the rows of a registry: a flag that some row follows
/// must not be given where the chosen one does not follow it.
template <typename Rows>
void require_used(const CLI::App& command, const Choice& choice, const Rows& rows) {
  for (const CLI::Option* option : command.get_options()) {
    const std::string flag = option->get_name();
    std::vector<std::string_view> used_by;
    std::vector<std::string_view> others;
    for (const auto& row : rows) (row.follows(flag) ? used_by : others).push_back(row.name);
    if (!used_by.empty()) require_used(command, flag, choice, used_by, others);
  }
}

}  // namespace equinoise::cli
