// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/duckdb_session.h"

#include <fmt/format.h>

#include <utility>

#include "equinoise/base/error.h"

namespace equinoise {

DuckDbSession::DuckDbSession(const std::string& path) {
  DuckDbOwned<duckdb_config, duckdb_destroy_config> config;
  bool good = duckdb_create_config(&*config) == DuckDBSuccess;
  using Option = std::pair<const char*, const char*>;
  for (const auto& [key, value] :
       {Option("threads", "1"), Option("temp_directory", ""),
        Option("autoinstall_known_extensions", "false"),
        Option("autoload_known_extensions", "false"), Option("allow_community_extensions", "false"),
        Option("allow_persistent_secrets", "false")}) {
    good = good && duckdb_set_config(*config, key, value) == DuckDBSuccess;
  }
  good = good && duckdb_open_ext(nullptr, &*database_, *config, nullptr) == DuckDBSuccess &&
         duckdb_connect(*database_, &*connection_) == DuckDBSuccess;
  for (const std::string& setting :
       {fmt::format("SET allowed_paths=['{}']", path), std::string("SET TimeZone='UTC'"),
        std::string("SET enable_external_access=false"),
        std::string("SET lock_configuration=true")}) {
    good = good && succeeds(setting);
  }
  if (!good) throw Error(ErrorKind::kRuntime, "data.duckdb", "DuckDB cannot be started");
}

bool DuckDbSession::succeeds(const std::string& query) {
  return duckdb_query(*connection_, query.c_str(), nullptr) == DuckDBSuccess;
}

}  // namespace equinoise
