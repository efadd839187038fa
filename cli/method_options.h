#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string_view>

namespace equinoise::cli {

/// Whoever gives an option believes that it does something. Errors: kUsage if `flag` was given and
/// `method` is none of the `methods` that use it; names these.
void require_used(const CLI::App& command, const char* flag, std::string_view method,
                  std::initializer_list<std::string_view> methods);

}  // namespace equinoise::cli
