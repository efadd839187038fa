// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/parquet_writer.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <map>

#include "equinoise/base/error.h"
#include "equinoise/data/formats/duckdb_session.h"

namespace equinoise {

namespace {

[[noreturn]] void fail(const std::string& problem) {
  throw Error(ErrorKind::kRuntime, "data.parquet_writer", problem);
}

void check(duckdb_state state) {
  if (state != DuckDBSuccess) fail("a cell cannot be written: its text is not UTF-8");
}

/// A file without a name.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("parquet", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("no memory for a Parquet file");
  }
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

  std::string content() const {
    const off_t size = lseek(descriptor_, 0, SEEK_END);
    std::string text(size > 0 ? static_cast<size_t>(size) : 0, '\0');
    for (size_t done = 0; done < text.size();) {
      const ssize_t count =
          pread(descriptor_, text.data() + done, text.size() - done, static_cast<off_t>(done));
      if (count <= 0) fail("a Parquet file cannot be read back");
      done += static_cast<size_t>(count);
    }
    return text;
  }

 private:
  int descriptor_;
};

const char* type_name(ParquetWriter::Type type) {
  switch (type) {
    case ParquetWriter::Type::kText:
      return "VARCHAR";
    case ParquetWriter::Type::kInteger:
      return "BIGINT";
    case ParquetWriter::Type::kTruth:
      return "BOOLEAN";
    case ParquetWriter::Type::kDate:
      return "DATE";
    case ParquetWriter::Type::kTimestamp:
      return "TIMESTAMP";
    default:
      return "DOUBLE";
  }
}

std::string sql_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

}  // namespace

struct ParquetWriter::Table {
  MemoryFile file;
  DuckDbSession session{file.path()};
  DuckDbOwned<duckdb_appender, duckdb_appender_destroy> appender;
};

ParquetWriter::ParquetWriter(const std::vector<Column>& columns)
    : table_(std::make_unique<Table>()) {
  std::string definition;
  for (const Column& column : columns) {
    definition += fmt::format("{}{} {}", definition.empty() ? "" : ", ", sql_name(column.name),
                              type_name(column.type));
  }
  if (!table_->session.succeeds(fmt::format("CREATE TABLE cells ({})", definition)) ||
      duckdb_appender_create(table_->session.connection(), nullptr, "cells", &*table_->appender) !=
          DuckDBSuccess) {
    fail("DuckDB cannot make a table");
  }
}

ParquetWriter::~ParquetWriter() = default;

void ParquetWriter::check_names(const std::vector<std::string>& names) {
  std::map<std::string, std::string> seen;
  for (const std::string& name : names) {
    if (name.empty()) {
      throw Error(ErrorKind::kUsage, "data.parquet_writer",
                  "a column has no name, but a Parquet file needs one; write CSV");
    }
    std::string lower = name;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const auto [same, is_new] = seen.emplace(lower, name);
    if (is_new) continue;
    throw Error(ErrorKind::kUsage, "data.parquet_writer",
                fmt::format("columns '{}' and '{}' differ only in upper and lower case, which a "
                            "Parquet file written here cannot tell apart; write CSV",
                            same->second, name));
  }
}

void ParquetWriter::add(std::string_view text) {
  check(duckdb_append_varchar_length(*table_->appender, text.data(), text.size()));
}

void ParquetWriter::add(int64_t number) { check(duckdb_append_int64(*table_->appender, number)); }

void ParquetWriter::add(double number) { check(duckdb_append_double(*table_->appender, number)); }

void ParquetWriter::add(bool truth) { check(duckdb_append_bool(*table_->appender, truth)); }

void ParquetWriter::add_null() { check(duckdb_append_null(*table_->appender)); }

void ParquetWriter::end_row() { check(duckdb_appender_end_row(*table_->appender)); }

std::string ParquetWriter::finish() {
  check(duckdb_appender_close(*table_->appender));
  if (!table_->session.succeeds(fmt::format(
          "COPY cells TO '{}' (FORMAT parquet, USE_TMP_FILE false)", table_->file.path()))) {
    fail("DuckDB cannot write Parquet");
  }
  return table_->file.content();
}

}  // namespace equinoise
