// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/table_source.h"
#include "equinoise/engines/engine.h"

namespace equinoise {

/// The place of a table that an engine counts:
/// `postgres://USER@HOST:PORT/DATABASE?PARAMETERS#TABLE`, postgresql:// likewise,
/// duckdb:FILE#TABLE, or the path of a folder of Parquet files. A password is never part of it, so
/// all of it may be printed and kept.
struct EngineUrl {
  enum class Kind { kPostgres, kDuckDb, kParquetFolder };

  Kind kind = Kind::kPostgres;
  std::string address;             ///< without the table; for files their path
  std::vector<std::string> table;  ///< the parts of its name; empty for Parquet
  std::string shown;               ///< for messages and run files: as the user wrote it
};

/// Whether a name begins like the URL of an engine, or is a folder of Parquet files.
bool is_engine_url(std::string_view text);

/// `table`: used if the URL names none. Errors: kUsage, with the right form, for a URL with a
/// password (in front of the host, or among the parameters), without a table or with two.
EngineUrl parse_engine_url(const std::string& text, const std::string& table = "");

/// Opens the table of a URL. Errors: those of open_duckdb, open_parquet and open_postgres.
std::unique_ptr<Engine> open_engine(const EngineUrl& url);

/// The table that a URL names. Errors: those of parse_engine_url.
TableSource engine_table(const std::string& text, const std::string& table = "");

/// The same, or a file if the name is no URL of an engine.
TableSource table_at(const std::string& name);

}  // namespace equinoise
