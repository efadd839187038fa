// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace equinoise::cli {

/// Adds --weight-column, the numeric column of the schema that says what each record counts for.
/// `column` must outlive parsing. `more`: what the command says in addition, or "".
CLI::Option* add_weight_option(CLI::App& command, std::string& column, const std::string& more);

/// Why a command has no --weight-column, where users look for one, and what to do instead; else "".
std::string why_no_weights(std::string_view command);

}  // namespace equinoise::cli
