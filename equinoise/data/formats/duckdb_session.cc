// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/duckdb_session.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/data/engine/dialect.h"

namespace equinoise {

DuckDbSession::DuckDbSession(const DuckDbLimits& limits) {
  using Option = std::pair<std::string, std::string>;
  std::vector<Option> options = {
      {"threads", std::to_string(limits.num_threads)}, {"temp_directory", limits.temp_folder},
      {"autoinstall_known_extensions", "false"},       {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},         {"allow_persistent_secrets", "false"}};
  if (!limits.database.empty()) options.emplace_back("access_mode", "READ_ONLY");
  if (limits.most_bytes > 0)
    options.emplace_back("memory_limit", fmt::format("{}B", limits.most_bytes));
  DuckDbOwned<duckdb_config, duckdb_destroy_config> config;
  bool good = duckdb_create_config(&*config) == DuckDBSuccess;
  for (const auto& [key, value] : options)
    good = good && duckdb_set_config(*config, key.c_str(), value.c_str()) == DuckDBSuccess;
  const char* database = limits.database.empty() ? nullptr : limits.database.c_str();
  const bool is_open =
      good && duckdb_open_ext(database, &*database_, *config, nullptr) == DuckDBSuccess;
  if (good && !is_open && database != nullptr) {
    throw Error(ErrorKind::kInput, "data.duckdb",
                fmt::format("{}: is no DuckDB database of a version that can be read here, or "
                            "another program is writing to it",
                            limits.database));
  }
  good = is_open && duckdb_connect(*database_, &*connection_) == DuckDBSuccess;
  std::string files;
  for (const std::string& file : limits.files)
    files += (files.empty() ? "" : ", ") + text_literal(Dialect::kDuckDb, file);
  for (const std::string& setting :
       {fmt::format("SET allowed_paths=[{}]", files), std::string("SET TimeZone='UTC'"),
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
