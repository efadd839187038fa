// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace equinoise::cli {

/// Reads "Female=2" into `numbers`; the name may hold any character, the number follows the last
/// "=". Errors: CLI::ValidationError, which shows the form, also for a repeated name.
void read_named_number(const std::string& flag, const std::string& text,
                       std::map<std::string, double>& numbers);

/// Adds an option that reads such numbers and may be repeated. `numbers` must outlive the parsing.
CLI::Option* add_named_numbers(CLI::App& command, const std::string& flag,
                               std::map<std::string, double>& numbers,
                               const std::string& description);

/// A check for seeds: CLI11 would wrap -1 around and truncate numbers that are too large.
std::string check_seed(const std::string& text);

}  // namespace equinoise::cli
