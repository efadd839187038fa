// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/duckdb_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/quotes.h"
#include "equinoise/data/formats/file_kind.h"
#include "equinoise/data/formats/input_file.h"

namespace equinoise {
namespace {

/// The version of DuckDB that wrote a database, "v2.0.1"; "" if it is not given.
std::string version_of_writer(std::string_view start) {
  constexpr size_t kPlace = 52;
  constexpr size_t kSize = 32;
  const std::string_view text = start.substr(std::min(start.size(), kPlace), kSize);
  const std::string_view version = text.substr(0, text.find('\0'));
  const bool is_plain =
      version.starts_with('v') && version.find_first_not_of("0123456789.", 1) == version.npos;
  return is_plain ? " " + std::string(version) : "";
}

/// The reason why a database cannot be opened, and a remedy. `reason`: the message of DuckDB.
std::string problem_of_database(const std::string& path, std::string_view reason) {
  const auto has_reason = [&](std::string_view text) { return reason.find(text) != reason.npos; };
  const InputFile file{path};
  const std::string start = file.start(kKindBytes);
  if (!is_duckdb_database(start)) {
    if (start.starts_with("PAR1"))
      return "is a Parquet file, no DuckDB database; give its name without duckdb: and #TABLE";
    const std::string_view problem = problem_of_kind(start, file.end(kKindEndBytes));
    if (!problem.empty()) return std::string(problem);
    return "is no DuckDB database; the name of a CSV, JSON or Parquet file is given without "
           "duckdb: and #TABLE";
  }
  if (has_reason("lock on file"))
    return "is open in another program that may write to it; close it there";
  if (has_reason("encrypted"))
    return "is an encrypted DuckDB database; copy it into one that is not, with COPY FROM DATABASE";
  if (has_reason("version number")) {
    const std::string here = duckdb_library_version();
    return fmt::format(
        "was written by DuckDB{} in a form that DuckDB {}, which reads it here, does not know; in "
        "DuckDB copy it into one that it knows: ATTACH 'FILE' AS a; ATTACH 'COPY' AS b "
        "(STORAGE_VERSION '{}.0'); COPY FROM DATABASE a TO b",
        version_of_writer(start), here, here.substr(0, here.rfind('.')));
  }
  return "is a DuckDB database that is damaged or was cut short, or whose .wal file is";
}

}  // namespace

DuckDbSession::DuckDbSession(const DuckDbLimits& limits) {
  using Option = std::pair<std::string, std::string>;
  std::vector<Option> options = {
      {"threads", std::to_string(limits.num_threads)}, {"temp_directory", limits.temp_folder},
      {"autoinstall_known_extensions", "false"},       {"autoload_known_extensions", "false"},
      {"allow_community_extensions", "false"},         {"allow_persistent_secrets", "false"}};
  if (!limits.database.empty()) options.emplace_back("access_mode", "READ_ONLY");
  // A session with temporary files counts, so that the order of rows does not matter.
  if (!limits.temp_folder.empty()) options.emplace_back("preserve_insertion_order", "false");
  if (limits.max_bytes > 0)
    options.emplace_back("memory_limit", fmt::format("{}B", limits.max_bytes));
  DuckDbOwned<duckdb_config, duckdb_destroy_config> config;
  bool good = duckdb_create_config(&*config) == DuckDBSuccess;
  for (const auto& [key, value] : options)
    good = good && duckdb_set_config(*config, key.c_str(), value.c_str()) == DuckDBSuccess;
  const char* database = limits.database.empty() ? nullptr : limits.database.c_str();
  char* reason = nullptr;
  const bool is_open =
      good && duckdb_open_ext(database, &*database_, *config, &reason) == DuckDBSuccess;
  const std::string kept = reason == nullptr ? "" : reason;
  duckdb_free(reason);
  if (good && !is_open && database != nullptr) {
    throw Error(ErrorKind::kInput, "data.duckdb", "{}: {}", limits.database,
                problem_of_database(limits.database, kept));
  }
  good = is_open && duckdb_connect(*database_, &*connection_) == DuckDBSuccess;
  std::string files;
  for (const std::string& file : limits.files)
    files += (files.empty() ? "" : ", ") + in_quotes(file, '\'');
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
