// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace equinoise::cli {

/// Adds an option whose values are names between commas; quotes keep a comma in a name together:
/// sex,"a, b". `names` must outlive parsing.
CLI::Option* add_names(CLI::App& command, const std::string& flag, std::vector<std::string>& names,
                       const std::string& help);

/// Whether add_names() added the option.
bool takes_names(const CLI::Option& option);

}  // namespace equinoise::cli
