// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands.h"
#include "equinoise/data/table_source.h"

namespace equinoise::cli {

/// Adds an option that names a table: a file, or records that the host holds. `table` must outlive
/// parsing.
CLI::Option* add_table(CLI::App& command, const std::string& flag, TableSource& table,
                       const std::string& help, const CommonOptions& common);

}  // namespace equinoise::cli
