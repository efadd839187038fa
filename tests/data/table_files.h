// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <duckdb.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

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

/// One zstd frame with a checksum that holds `content`.
inline std::string zstd(std::string_view content) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string file(ZSTD_compressBound(content.size()), '\0');
  const size_t size =
      ZSTD_compress2(context, file.data(), file.size(), content.data(), content.size());
  ZSTD_freeCCtx(context);
  EXPECT_EQ(ZSTD_isError(size), 0U);
  file.resize(size);
  return file;
}

/// A member of a zip archive. `has_descriptor`: sizes and checksum stand behind the data, as where
/// the archive was written to a pipe.
struct ZipMember {
  std::string name;
  std::string content;
  bool is_deflated = true;
  bool has_descriptor = false;
};

/// A zip archive as its readers here need it: members and the beginning of the directory.
inline std::string zip(const std::vector<ZipMember>& members) {
  const auto number = [](uint64_t value, int num_bytes) {
    std::string bytes;
    for (int i = 0; i < num_bytes; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
    return bytes;
  };
  std::string file;
  for (const ZipMember& member : members) {
    // Gzip around deflate: 10 bytes before it, 8 behind.
    const std::string packed = gzip(member.content);
    const std::string data =
        member.is_deflated ? packed.substr(10, packed.size() - 18) : member.content;
    const std::string checksum = packed.substr(packed.size() - 8, 4);
    const std::string sizes = number(data.size(), 4) + number(member.content.size(), 4);
    file += "PK\x03\x04" + number(20, 2) + number(member.has_descriptor ? 8 : 0, 2) +
            number(member.is_deflated ? 8 : 0, 2) + number(0, 4) +
            (member.has_descriptor ? std::string(12, '\0') : checksum + sizes) +
            number(member.name.size(), 2) + number(0, 2) + member.name + data;
    if (member.has_descriptor) file += "PK\x07\x08" + checksum + sizes;
  }
  return file + "PK\x01\x02" + std::string(42, '\0');
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

/// A Parquet file of a column "wide" of decimals that are declared with 39 digits, which DuckDB
/// does not write, and a column "age".
inline std::filesystem::path write_wide_decimals(const std::filesystem::path& path) {
  write_parquet(path, "SELECT 1.25::DECIMAL(38, 2) AS wide, 7 AS age");
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  // Two numbers of Thrift's compact protocol, twice the decimals and twice the digits.
  const std::string_view narrow = "\x15\x04\x15\x4c";
  size_t num_replaced = 0;
  for (size_t at = content.find(narrow); at != content.npos; at = content.find(narrow, at + 1)) {
    content[at + 3] = '\x4e';
    ++num_replaced;
  }
  EXPECT_GT(num_replaced, 0U);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

}  // namespace equinoise::testing
