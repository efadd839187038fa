#include "cli/method_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/base/error.h"

namespace equinoise::cli {

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
              fmt::format("{} does nothing with {} {}: it is of {}{}; leave it out", flag,
                          choice.flag, choice.name, few_others ? "all but " : "",
                          fmt::join(few_others ? others : used_by, ", ")));
}

}  // namespace equinoise::cli
