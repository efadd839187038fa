// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/input/same_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "equinoise/data/engine/engine.h"
#include "equinoise/data/engine/engine_url.h"
#include "equinoise/tasks/input/table_files.h"

namespace equinoise {

namespace {

using Kind = EngineUrl::Kind;

/// What tells a table of PostgreSQL from all others: since when its server runs, to the
/// microsecond, the database and the table.
std::vector<int64_t> identity_of(const EngineUrl& url) {
  const std::unique_ptr<Engine> engine = open_engine(url);
  engine->start(fmt::format(
      "SELECT CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS BIGINT), "
      "CAST(d.oid AS BIGINT), CAST(CAST({} AS regclass) AS BIGINT) "
      "FROM pg_database d WHERE d.datname = current_database()",
      text_literal(Dialect::kPostgres, engine->table())));
  const std::span<const int64_t> row = engine->next();
  return {row.begin(), row.end()};
}

/// "people" and "main.people" of DuckDB are one table, and so are "People" and "people".
std::string name_in_duckdb(const EngineUrl& url) {
  const size_t n = url.table.size();
  std::string name = (n > 1 ? url.table[n - 2] : "main") + "." + url.table[n - 1];
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return name;
}

bool are_one_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

bool is_same_engine_table(const EngineUrl& a, const EngineUrl& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::kPostgres:
      return identity_of(a) == identity_of(b);
    case Kind::kDuckDb:
      return are_one_file(a.address, b.address) && name_in_duckdb(a) == name_in_duckdb(b);
    case Kind::kParquetFolder:
      break;
  }
  return is_below(a.address, b.address) || is_below(b.address, a.address);
}

/// The URL of an engine.
std::optional<EngineUrl> url_of(const TableSource& table) {
  if (!table.is_engine()) return std::nullopt;
  return parse_engine_url(table.name());
}

}  // namespace

bool is_same_table(const TableSource& a, const TableSource& b) {
  const std::optional<EngineUrl> url_a = url_of(a);
  const std::optional<EngineUrl> url_b = url_of(b);
  if (url_a && url_b) return is_same_engine_table(*url_a, *url_b);
  if (url_a)
    return url_a->kind == Kind::kParquetFolder && b.is_file() && is_below(b.path(), url_a->address);
  if (url_b) return is_same_table(b, a);
  return a.is_file() && b.is_file() && are_one_file(a.path(), b.path());
}

}  // namespace equinoise
