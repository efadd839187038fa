// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>

#include <string>

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

/// DuckDB in memory, locked down: one file, no extensions, one thread.
class DuckDbSession {
 public:
  /// `path`: the one file that queries may name. Errors: kRuntime.
  explicit DuckDbSession(const std::string& path);

  duckdb_connection connection() { return *connection_; }

  /// Whether a query without parameters and rows succeeds.
  bool succeeds(const std::string& query);

 private:
  // Destroyed from the last to the first, as DuckDB wants it.
  DuckDbOwned<duckdb_database, duckdb_close> database_;
  DuckDbOwned<duckdb_connection, duckdb_disconnect> connection_;
};

}  // namespace equinoise
