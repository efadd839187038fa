// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/engine_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/base/small_letters.h"
#include "equinoise/engines/duckdb_engine.h"
#include "equinoise/engines/parquet_folder.h"
#include "equinoise/engines/postgres_engine.h"

namespace equinoise {

namespace {

constexpr std::string_view kDuckDbScheme = "duckdb:";
constexpr std::array<std::string_view, 2> kPostgresSchemes = {"postgres://", "postgresql://"};

bool is_postgres_url(std::string_view text) {
  return std::ranges::any_of(kPostgresSchemes,
                             [&](std::string_view scheme) { return text.starts_with(scheme); });
}

constexpr Refusal refuse_url{ErrorKind::kUsage, "data.engine"};

/// Refuses a URL with a password, without quoting the URL.
void refuse_password_in_url(std::string_view server) {
  std::string_view rest = server.substr(server.find("://") + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  const size_t at = authority.rfind('@');
  const bool is_before_host =
      at != authority.npos && authority.substr(0, at).find(':') != authority.npos;
  // An @ behind the authority: a password may contain characters that end it.
  const bool is_odd = at == authority.npos && rest.find('@') != rest.npos;
  const size_t question = rest.find('?');
  const std::string_view parameters = question == rest.npos ? "" : rest.substr(question + 1);
  const bool is_parameter =
      parameters.starts_with("password=") || parameters.find("&password=") != parameters.npos ||
      parameters.starts_with("sslpassword=") || parameters.find("&sslpassword=") != parameters.npos;
  if (!is_before_host && !is_odd && !is_parameter) return;
  refuse_url(
      "the URL of the database holds a password, which run files, process lists and histories of "
      "commands would show; leave it out and give it by the environment variable PGPASSWORD or "
      "the password file ~/.pgpass");
}

/// The identity of a table of PostgreSQL: the start of its server in microseconds, the database and
/// the table.
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

/// The canonical name: "people" and "main.people" are one table in DuckDB, as are "People" and
/// "people".
std::string name_in_duckdb(const EngineUrl& url) {
  const size_t n = url.table.size();
  return in_small_letters((n > 1 ? url.table[n - 2] : "main") + "." + url.table[n - 1]);
}

bool are_one_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

class UrlTable final : public EngineTable {
 public:
  explicit UrlTable(EngineUrl url) : url_(std::move(url)) {}

  const std::string& name() const override { return url_.shown; }
  std::unique_ptr<EngineSession> open() const override { return open_engine(url_); }

  bool is_same(const EngineTable& other) const override {
    const auto* table = dynamic_cast<const UrlTable*>(&other);
    if (table == nullptr || table->url_.kind != url_.kind) return false;
    const EngineUrl& url = table->url_;
    if (url.kind == EngineUrl::Kind::kPostgres) return identity_of(url_) == identity_of(url);
    if (url.kind == EngineUrl::Kind::kDuckDb) {
      return are_one_file(url_.address, url.address) && name_in_duckdb(url_) == name_in_duckdb(url);
    }
    return is_below(url_.address, url.address) || is_below(url.address, url_.address);
  }

  bool has_file(const std::filesystem::path& file) const override {
    if (url_.kind == EngineUrl::Kind::kDuckDb) return are_one_file(url_.address, file);
    return url_.kind == EngineUrl::Kind::kParquetFolder && has_parquet_name(file) &&
           is_below(file, url_.address);
  }

 private:
  EngineUrl url_;
};

}  // namespace

bool is_engine_url(std::string_view text) {
  if (text.starts_with(kDuckDbScheme) || is_postgres_url(text)) return true;
  std::error_code ignored;
  const std::filesystem::path path(text);
  return std::filesystem::is_directory(path, ignored) && holds_parquet(path);
}

EngineUrl parse_engine_url(const std::string& text, const std::string& table) {
  const bool is_duckdb = text.starts_with(kDuckDbScheme);
  if (!is_duckdb && !is_postgres_url(text)) {
    if (!table.empty()) refuse_url("--table is for databases; Parquet files have none");
    return {EngineUrl::Kind::kParquetFolder, text, {}, text};
  }
  if (!is_duckdb) refuse_password_in_url(text);
  const size_t hash = text.find('#');
  const std::string server = text.substr(0, hash);
  if (hash != text.npos && !table.empty())
    refuse_url("the table is named twice, by --table and behind the # of the URL");
  const std::string name = hash == text.npos ? table : text.substr(hash + 1);
  if (name.empty()) {
    refuse_url(
        "{0}: which table? Name it behind a #: {0}#people, or with a schema "
        "{0}#visits.people",
        server);
  }
  return {is_duckdb ? EngineUrl::Kind::kDuckDb : EngineUrl::Kind::kPostgres,
          is_duckdb ? server.substr(kDuckDbScheme.size()) : server, parts_of_table(name),
          server + "#" + name};
}

TableSource engine_table(const std::string& text, const std::string& table) {
  return TableSource(std::make_shared<UrlTable>(parse_engine_url(text, table)));
}

TableSource table_at(const std::string& name) {
  return is_engine_url(name) ? engine_table(name) : TableSource(name);
}

std::unique_ptr<Engine> open_engine(const EngineUrl& url) {
  if (url.kind == EngineUrl::Kind::kPostgres) return open_postgres(url);
  if (url.kind == EngineUrl::Kind::kDuckDb) return open_duckdb(url.address, url.table, url.shown);
  return open_parquet(url.address, url.shown);
}

}  // namespace equinoise
