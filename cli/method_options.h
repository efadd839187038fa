#pragma once

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

namespace equinoise::cli {

/// Whoever gives an option believes that it does something. Errors: kUsage if `flag` was given and
/// `method` is none of the `methods` that use it; names these.
void require_used(const CLI::App& command, const char* flag, std::string_view method,
                  const std::vector<std::string_view>& methods);

}  // namespace equinoise::cli
