// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands.h"
#include "equinoise/data/table_source.h"

namespace equinoise::cli {

/// What the table of a command that reads counted rows and engines may be.
inline constexpr const char* kTableHelp =
    "Table of records (CSV, ARFF, JSON, Parquet; all but Parquet may be gzip, zip or zstd), where "
    "a column equinoise_count may say how many equal records each row stands for; or one that is "
    "counted where it is (postgres://USER@HOST/DATABASE#TABLE, duckdb:FILE#TABLE, a folder of "
    "Parquet files)";

/// Adds an option that names a table: a file, or records that the host holds. `table` must outlive
/// parsing.
CLI::Option* add_table(CLI::App& command, const std::string& flag, TableSource& table,
                       const std::string& help, const CommonOptions& common);

}  // namespace equinoise::cli
