// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace equinoise::cli {

/// Adds --constraint, stored in `lines`, and --constraints, stored in `path`; both must outlive
/// parsing.
void add_constraint_options(CLI::App& command, std::vector<std::string>& lines,
                            std::filesystem::path& path);

/// Adds --strict, for commands that judge limits or constraints.
void add_strict_flag(CLI::App& command, bool& strict);

}  // namespace equinoise::cli
