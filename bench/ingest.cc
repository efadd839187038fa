// SPDX-License-Identifier: Apache-2.0
// How fast does a table become a matrix, how much memory does that take, and how do both grow with
// rows and columns? Reads and encodes made-up tables; every run is a process of its own, so that
// its peak memory is its own.
//
//   bench_ingest                                        up to 1,000,000 rows
//   EQUINOISE_BENCH_ROWS=10000000 bench_ingest          and so many rows of 15 columns
//
// items are rows, bytes are those of the file; peak_MB is the process's, data_MB what the encoded
// matrix itself takes.

#include <benchmark/benchmark.h>
#include <duckdb.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "equinoise/data/encoder.h"
#include "equinoise/data/table.h"

namespace equinoise {
namespace {

enum class Format { kCsv, kGzipCsv, kJsonLines, kParquet };

constexpr std::array<const char*, 5> kCategories = {"Private", "Local-gov", "Self-employed",
                                                    "Never-worked", "Federal-gov"};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "bench_ingest: %s\n", what);
  std::_Exit(1);
}

/// Columns 0, 3, 6 ... are categorical, 1, 4, 7 ... integers, 2, 5, 8 ... fractions; column 0 is
/// the target.
bool is_categorical(int64_t column) { return column % 3 == 0; }
bool is_integer(int64_t column) { return column % 3 == 1; }

Schema schema_for(int64_t num_rows, int64_t num_columns) {
  Schema schema;
  schema.num_records = num_rows;
  schema.target = "c0";
  for (int64_t c = 0; c < num_columns; ++c) {
    ColumnSchema column;
    column.name = fmt::format("c{}", c);
    if (is_categorical(c)) {
      column.values.assign(kCategories.begin(), kCategories.end());
    } else {
      column.type = ColumnType::kNumeric;
      column.upper = 100'000;
    }
    schema.columns.push_back(column);
  }
  return schema;
}

/// Appends one cell of the table, which depends on `state` alone.
void append_cell(int64_t column, uint64_t& state, bool is_json, fmt::memory_buffer& text) {
  state = state * 6364136223846793005U + 1442695040888963407U;
  const uint64_t random = state >> 33;
  const auto out = std::back_inserter(text);
  if (is_categorical(column)) {
    const char* quote = is_json ? "\"" : "";
    fmt::format_to(out, "{}{}{}", quote, kCategories[random % kCategories.size()], quote);
  } else if (is_integer(column)) {
    fmt::format_to(out, "{}", random % 100'000);
  } else {
    fmt::format_to(out, "{}.{:04}", random % 1000, random / 1000 % 10'000);
  }
}

/// Writes the table as CSV or JSON lines; gzFile writes plain files, too.
void write_text(const std::filesystem::path& path, int64_t num_rows, int64_t num_columns,
                Format format) {
  const bool is_json = format == Format::kJsonLines;
  gzFile file = gzopen(path.c_str(), format == Format::kGzipCsv ? "wb6" : "wbT");
  if (file == nullptr) fail("cannot write into the folder for temporary files");
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  for (int64_t c = 0; c < num_columns && !is_json; ++c) {
    fmt::format_to(out, "c{}{}", c, c + 1 == num_columns ? '\n' : ',');
  }
  uint64_t state = 1;
  for (int64_t r = 0; r < num_rows; ++r) {
    for (int64_t c = 0; c < num_columns; ++c) {
      if (is_json) fmt::format_to(out, "{}\"c{}\":", c == 0 ? '{' : ',', c);
      append_cell(c, state, is_json, text);
      if (!is_json) text.push_back(c + 1 == num_columns ? '\n' : ',');
    }
    if (is_json) fmt::format_to(out, "}}\n");
    if (gzwrite(file, text.data(), static_cast<unsigned>(text.size())) <= 0) fail("disk is full");
    text.clear();
  }
  if (gzclose(file) != Z_OK) fail("disk is full");
}

void write_parquet(const std::filesystem::path& path, int64_t num_rows, int64_t num_columns) {
  const std::filesystem::path csv = path.string() + ".csv";
  write_text(csv, num_rows, num_columns, Format::kCsv);
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  const std::string query =
      fmt::format("COPY (SELECT * FROM read_csv('{}', header=true)) TO '{}' (FORMAT parquet)",
                  csv.string(), path.string());
  if (duckdb_open(nullptr, &database) != DuckDBSuccess ||
      duckdb_connect(database, &connection) != DuckDBSuccess ||
      duckdb_query(connection, query.c_str(), nullptr) != DuckDBSuccess) {
    fail("DuckDB cannot write Parquet");
  }
  duckdb_disconnect(&connection);
  duckdb_close(&database);
  std::filesystem::remove(csv);
}

/// What one process measured.
struct Measurement {
  double seconds = 0;
  double peak_mb = 0;
  double data_mb = 0;
};

/// Runs `work` in a process of its own.
Measurement in_child(const std::function<Measurement()>& work) {
  std::array<int, 2> ends = {};
  if (::pipe(ends.data()) != 0) fail("no pipe");
  const pid_t child = ::fork();
  if (child < 0) fail("no process");
  Measurement measurement;
  if (child == 0) {
    measurement = work();
    const bool is_told = ::write(ends[1], &measurement, sizeof measurement) == sizeof measurement;
    std::_Exit(is_told ? 0 : 1);
  }
  ::close(ends[1]);
  const bool is_heard = ::read(ends[0], &measurement, sizeof measurement) == sizeof measurement;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!is_heard || status != 0) fail("a run failed");
  return measurement;
}

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  return 0;
}

Measurement ingest(const std::filesystem::path& path, const Schema& schema) {
  const auto start = std::chrono::steady_clock::now();
  const EncodedTable table = encode(read_table(path, schema), schema);
  const std::chrono::duration<double> duration = std::chrono::steady_clock::now() - start;
  const size_t num_bytes = table.dense.size() * sizeof(float) +
                           table.active.size() * sizeof(uint32_t) +
                           table.labels.size() * sizeof(uint16_t) + table.contributes.size();
  return {duration.count(), peak_megabytes(), static_cast<double>(num_bytes) / (1 << 20)};
}

void BM_Ingest(benchmark::State& state, Format format) {
  const int64_t num_rows = state.range(0);
  const int64_t num_columns = state.range(1);
  const Schema schema = schema_for(num_rows, num_columns);
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / fmt::format("equinoise-bench-{}", ::getpid());
  in_child([&] {
    if (format == Format::kParquet) {
      write_parquet(path, num_rows, num_columns);
    } else {
      write_text(path, num_rows, num_columns, format);
    }
    return Measurement{};
  });
  Measurement measurement;
  for (auto _ : state) {
    measurement = in_child([&] { return ingest(path, schema); });
    state.SetIterationTime(measurement.seconds);
  }
  state.SetItemsProcessed(state.iterations() * num_rows);
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(std::filesystem::file_size(path)));
  state.counters["peak_MB"] = measurement.peak_mb;
  state.counters["data_MB"] = measurement.data_mb;
  std::filesystem::remove(path);
}

void add_cases(benchmark::internal::Benchmark* family) {
  family->ArgNames({"rows", "columns"})->UseManualTime()->Unit(benchmark::kMillisecond);
  family->Iterations(1);
  for (const int64_t rows : {100'000, 300'000, 1'000'000}) family->Args({rows, 15});
  for (const int64_t columns : {5, 45}) family->Args({1'000'000, columns});
  if (const char* rows = std::getenv("EQUINOISE_BENCH_ROWS"); rows != nullptr) {
    family->Args({std::strtoll(rows, nullptr, 10), 15});
  }
}

BENCHMARK_CAPTURE(BM_Ingest, csv, Format::kCsv)->Apply(add_cases);
BENCHMARK_CAPTURE(BM_Ingest, gzip_csv, Format::kGzipCsv)->Apply(add_cases);
BENCHMARK_CAPTURE(BM_Ingest, json_lines, Format::kJsonLines)->Apply(add_cases);
BENCHMARK_CAPTURE(BM_Ingest, parquet, Format::kParquet)->Apply(add_cases);

}  // namespace
}  // namespace equinoise
