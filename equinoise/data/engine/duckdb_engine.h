// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "equinoise/data/engine/engine.h"

namespace equinoise {

/// A table or view of a DuckDB database, or a Parquet file or a folder of them, as DuckDB counts
/// it: on all cores, in half of the memory, beyond it in a folder of its own in the system's
/// temporary one, which goes away with the engine. It may open these files and nothing else.
///
/// Errors: kInput for what is not there or is no such file, Parquet files of one folder that do not
/// have the same columns, and files that change while they are read; kUsage for a name that is
/// none.

/// `name`: for messages. `table`: the parts of its name.
std::unique_ptr<Engine> open_duckdb(const std::filesystem::path& database,
                                    const std::vector<std::string>& table, const std::string& name);

/// All files below `path` whose names end in .parquet; or that file.
std::unique_ptr<Engine> open_parquet(const std::filesystem::path& path, const std::string& name);

/// Whether a folder holds Parquet files, at any depth.
bool holds_parquet(const std::filesystem::path& folder);

}  // namespace equinoise
