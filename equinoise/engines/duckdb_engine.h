// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "equinoise/engines/engine.h"

namespace equinoise {

/// A table or view of a DuckDB database, or a Parquet file or a folder of them, as DuckDB counts
/// it: on all cores, in half of the memory, beyond it in a folder of its own in the system's
/// temporary one, which goes away with the engine. It may open these files and nothing else.
///
/// Errors: kInput for what is not there or cannot be read, with what to do about it, Parquet files
/// of one folder that do not have the same columns, those of parquet_files(), and files that change
/// while they are read; kUsage for a name that is none.

/// `name`: for messages. `table`: the parts of its name.
std::unique_ptr<Engine> open_duckdb(const std::filesystem::path& database,
                                    const std::vector<std::string>& table, const std::string& name);

/// The files of parquet_files(), of which each stays as it is; or that file. A column of decimals
/// of more than 38 digits, which DuckDB reads as wrong numbers, is of the type kOther.
std::unique_ptr<Engine> open_parquet(const std::filesystem::path& path, const std::string& name);

}  // namespace equinoise
