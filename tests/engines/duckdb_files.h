// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace equinoise::testing {

/// Runs statements in a DuckDB database that is made if there is none; times are UTC's.
inline void run_duckdb(const std::filesystem::path& path,
                       const std::vector<std::string>& statements) {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  ASSERT_EQ(duckdb_open(path.c_str(), &database), DuckDBSuccess);
  ASSERT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
  duckdb_query(connection, "SET TimeZone='UTC'", nullptr);
  for (const std::string& statement : statements) {
    duckdb_result result;
    EXPECT_EQ(duckdb_query(connection, statement.c_str(), &result), DuckDBSuccess)
        << statement.substr(0, 2000) << "\n"
        << duckdb_result_error(&result);
    duckdb_destroy_result(&result);
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
}

}  // namespace equinoise::testing
