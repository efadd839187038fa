#include "cli/method_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "equinoise/base/error.h"

namespace equinoise::cli {

void require_used(const CLI::App& command, const char* flag, std::string_view method,
                  const std::vector<std::string_view>& methods) {
  if (command.get_option(flag)->count() == 0) return;
  if (std::find(methods.begin(), methods.end(), method) != methods.end()) return;
  throw Error(ErrorKind::kUsage, "cli.method_options",
              fmt::format("{} does nothing with --method {}: it is of {}; leave it out", flag,
                          method, fmt::join(methods, ", ")));
}

}  // namespace equinoise::cli
