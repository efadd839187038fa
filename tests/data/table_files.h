// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace equinoise::testing {

/// One gzip member that holds `content`.
inline std::string gzip(std::string_view content) {
  constexpr int kGzipOnly = 16;
  constexpr int kMemoryLevel = 8;
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipOnly,
                         kMemoryLevel, Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string file(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(file.data());
  stream.avail_out = static_cast<uInt>(file.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  file.resize(stream.total_out);
  deflateEnd(&stream);
  return file;
}

/// Writes what a query of DuckDB gives as a Parquet file, with so many rows per row group.
inline std::filesystem::path write_parquet(const std::filesystem::path& path,
                                           const std::string& query, int row_group_size = 122880) {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  EXPECT_EQ(duckdb_open(nullptr, &database), DuckDBSuccess);
  EXPECT_EQ(duckdb_connect(database, &connection), DuckDBSuccess);
  const std::string copy = "COPY (" + query + ") TO '" + path.string() +
                           "' (FORMAT parquet, ROW_GROUP_SIZE " + std::to_string(row_group_size) +
                           ")";
  duckdb_result result;
  EXPECT_EQ(duckdb_query(connection, copy.c_str(), &result), DuckDBSuccess)
      << duckdb_result_error(&result);
  duckdb_destroy_result(&result);
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  return path;
}

}  // namespace equinoise::testing
