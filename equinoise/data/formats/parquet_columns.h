// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace equinoise {

/// A column of a Parquet file as declared in the file. DuckDB's types differ: it reads decimals of
/// more than 38 digits as double precision, with wrong values.
struct ParquetColumn {
  std::string name;
  int64_t num_digits = 0;    ///< for decimals, else 0
  int64_t num_decimals = 0;  ///< digits after the point
};

/// The columns of a file that the session may open; nothing if it cannot be read.
std::optional<std::vector<ParquetColumn>> parquet_columns(duckdb_connection session,
                                                          const std::string& file);

}  // namespace equinoise
