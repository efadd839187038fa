// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/engine_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/engine/duckdb_engine.h"
#include "equinoise/data/engine/parquet_folder.h"
#include "equinoise/data/engine/postgres_engine.h"

namespace equinoise {

namespace {

constexpr std::string_view kDuckDbScheme = "duckdb:";
constexpr std::array<std::string_view, 2> kPostgresSchemes = {"postgres://", "postgresql://"};

bool is_postgres_url(std::string_view text) {
  return std::any_of(kPostgresSchemes.begin(), kPostgresSchemes.end(),
                     [&](std::string_view scheme) { return text.starts_with(scheme); });
}

[[noreturn]] void refuse_url(const std::string& message) {
  throw Error(ErrorKind::kUsage, "data.engine", message);
}

/// Nothing of a URL that may hold a password is quoted.
void refuse_password_in_url(std::string_view server) {
  std::string_view rest = server.substr(server.find("://") + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  const size_t at = authority.rfind('@');
  const bool is_before_host =
      at != authority.npos && authority.substr(0, at).find(':') != authority.npos;
  // Also where a password holds characters that end this part of a URL.
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
        fmt::format("{0}: which table? Name it behind a #: {0}#people, or with a schema "
                    "{0}#visits.people",
                    server));
  }
  return {is_duckdb ? EngineUrl::Kind::kDuckDb : EngineUrl::Kind::kPostgres,
          is_duckdb ? server.substr(kDuckDbScheme.size()) : server, parts_of_table(name),
          server + "#" + name};
}

std::unique_ptr<Engine> open_engine(const EngineUrl& url) {
  switch (url.kind) {
    case EngineUrl::Kind::kPostgres:
      return open_postgres(url);
    case EngineUrl::Kind::kDuckDb:
      return open_duckdb(url.address, url.table, url.shown);
    case EngineUrl::Kind::kParquetFolder:
      break;
  }
  return open_parquet(url.address, url.shown);
}

}  // namespace equinoise
