// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace equinoise {

/// Owns one object of DuckDB's C interface, whose destroy functions accept an empty one.
template <typename T, auto destroy>
class DuckDbOwned {
 public:
  DuckDbOwned() = default;
  ~DuckDbOwned() { destroy(&value_); }
  DuckDbOwned(const DuckDbOwned&) = delete;
  DuckDbOwned& operator=(const DuckDbOwned&) = delete;

  void reset() {
    destroy(&value_);
    value_ = T{};
  }
  T& operator*() { return value_; }

 private:
  T value_{};
};

/// The resources that a session of DuckDB may use.
struct DuckDbLimits {
  std::string database;            ///< a file, only to be read; "": in memory
  std::vector<std::string> files;  ///< files that queries may name
  int num_threads = 1;
  int64_t max_bytes = 0;    ///< of memory; 0: DuckDB's own limit
  std::string temp_folder;  ///< for data that do not fit in memory; "": none
};

/// DuckDB locked down: it opens only the given files, loads no extension, and uses UTC for times.
class DuckDbSession {
 public:
  /// A session in memory, on one thread. `file`: the only one that queries may name. Errors:
  /// kRuntime.
  explicit DuckDbSession(const std::string& file)
      : DuckDbSession(DuckDbLimits{{}, {file}, 1, 0, {}}) {}

  /// Errors: kInput for a database that cannot be read; kRuntime.
  explicit DuckDbSession(const DuckDbLimits& limits);

  duckdb_connection connection() { return *connection_; }

  /// Whether a query without parameters and rows succeeds.
  bool succeeds(const std::string& query);

 private:
  // Destroyed from the last to the first, as DuckDB requires.
  DuckDbOwned<duckdb_database, duckdb_close> database_;
  DuckDbOwned<duckdb_connection, duckdb_disconnect> connection_;
};

}  // namespace equinoise
