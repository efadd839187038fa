// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "equinoise/engines/engine.h"

namespace equinoise {

/// A table or view of a DuckDB database, or a Parquet file or a folder of them, counted by DuckDB
/// on all cores. It uses half of the memory, then a new folder in the system's temporary one,
/// deleted with the engine. It may open these files and nothing else.
///
/// Errors: kInput, with a remedy, for a file or table that does not exist or cannot be read; kInput
/// for Parquet files of one folder with different columns, and for files that change while they are
/// read; those of parquet_files(); kUsage for an invalid name.

/// `name`: for messages. `table`: the parts of its name.
std::unique_ptr<Engine> open_duckdb(const std::filesystem::path& database,
                                    const std::vector<std::string>& table, const std::string& name);

/// The files of parquet_files(), none of which may change meanwhile, or a single file. A column of
/// decimals of more than 38 digits, which DuckDB reads as wrong numbers, has the type kOther.
std::unique_ptr<Engine> open_parquet(const std::filesystem::path& path, const std::string& name);

}  // namespace equinoise
