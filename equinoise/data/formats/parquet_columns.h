// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace equinoise {

/// A column of a Parquet file as the file declares it, which DuckDB's types do not always tell:
/// decimals of more than 38 digits it takes for numbers of double precision, and reads wrong ones.
struct ParquetColumn {
  std::string name;
  int64_t num_digits = 0;    ///< of decimals, else 0
  int64_t num_decimals = 0;  ///< of them after the point
};

/// The columns of a file, which the session may open; nothing if it cannot be read.
std::optional<std::vector<ParquetColumn>> parquet_columns(duckdb_connection session,
                                                          const std::string& file);

}  // namespace equinoise
