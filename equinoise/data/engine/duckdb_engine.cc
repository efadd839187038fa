// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/engine/duckdb_engine.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/data/formats/duckdb_session.h"
#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/formats/seen_file.h"

namespace equinoise {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kParquetEnding = ".parquet";

/// A new folder for what has no room in memory, which goes away with the object.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code error;
    path_ = (fs::temp_directory_path(error) / "equinoise-duckdb-XXXXXX").string();
    if (error || ::mkdtemp(path_.data()) == nullptr) {
      throw Error(ErrorKind::kRuntime, "data.duckdb",
                  "no folder can be made among the system's temporary files; set TMPDIR to a "
                  "folder that can be written to");
    }
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

int64_t half_of_memory() {
  return static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) / 2 * ::sysconf(_SC_PAGESIZE);
}

std::vector<SeenFile> seen_files(const std::vector<fs::path>& paths) {
  std::vector<SeenFile> files;
  for (const fs::path& path : paths) files.emplace_back(path);
  return files;
}

EngineType engine_type(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_ENUM:
      return EngineType::kText;
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
    case DUCKDB_TYPE_UBIGINT:
      return EngineType::kInteger;
    case DUCKDB_TYPE_DECIMAL:
      return EngineType::kDecimal;
    case DUCKDB_TYPE_FLOAT:
      return EngineType::kFloat;
    case DUCKDB_TYPE_DOUBLE:
      return EngineType::kDouble;
    case DUCKDB_TYPE_BOOLEAN:
      return EngineType::kBoolean;
    case DUCKDB_TYPE_DATE:
      return EngineType::kDate;
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return EngineType::kTimestamp;
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return EngineType::kZonedTimestamp;
    default:
      return EngineType::kOther;
  }
}

/// Text cells of the first columns of a small answer.
std::string text_at(duckdb_result& result, idx_t column, idx_t row) {
  char* text = duckdb_value_varchar(&result, column, row);
  std::string copy = text == nullptr ? "" : text;
  duckdb_free(text);
  return copy;
}

class DuckDbEngine : public Engine {
 public:
  DuckDbEngine(std::string name, std::string table, DuckDbLimits limits,
               const std::vector<fs::path>& files)
      : name_(std::move(name)),
        table_(std::move(table)),
        files_(seen_files(files)),
        session_(with_resources(std::move(limits), scratch_.path())) {
    // One transaction: whatever the statements are, they see the same rows.
    if (!session_.succeeds("BEGIN TRANSACTION")) fail("cannot begin to read");
  }

  Dialect dialect() const override { return Dialect::kDuckDb; }
  const std::string& name() const override { return name_; }
  const std::string& table() const override { return table_; }
  std::vector<EngineColumn> columns() override { return columns_of(table_); }

  std::vector<EngineColumn> columns_of(const std::string& table) {
    clear();
    const std::string query = fmt::format("SELECT * FROM {} LIMIT 0", table);
    Statement statement;
    if (duckdb_prepare(session_.connection(), query.c_str(), &*statement) != DuckDBSuccess)
      fail_to_find();
    Result names;
    const std::string description = "DESCRIBE " + query;
    if (duckdb_query(session_.connection(), description.c_str(), &*names) != DuckDBSuccess)
      fail_to_find();
    std::vector<EngineColumn> columns;
    for (idx_t i = 0; i < duckdb_row_count(&*names); ++i) {
      columns.push_back({text_at(*names, 0, i),
                         engine_type(duckdb_prepared_statement_column_type(*statement, i)),
                         text_at(*names, 1, i)});
    }
    return columns;
  }

  void start(const std::string& statement) override {
    clear();
    if (duckdb_prepare(session_.connection(), statement.c_str(), &*statement_) != DuckDBSuccess ||
        duckdb_execute_prepared_streaming(*statement_, &*result_) != DuckDBSuccess)
      fail_to_count();
    row_.resize(duckdb_column_count(&*result_));
    is_done_ = false;
  }

  void cancel() override { duckdb_interrupt(session_.connection()); }

  std::span<const int64_t> next() override {
    while (next_row_ == num_rows_) {
      if (is_done_ || !fetch()) return {};
    }
    for (size_t i = 0; i < row_.size(); ++i) row_[i] = number_at(i, next_row_);
    ++next_row_;
    return row_;
  }

 private:
  using Statement = DuckDbOwned<duckdb_prepared_statement, duckdb_destroy_prepare>;
  using Result = DuckDbOwned<duckdb_result, duckdb_destroy_result>;
  using Chunk = DuckDbOwned<duckdb_data_chunk, duckdb_destroy_data_chunk>;

  static DuckDbLimits with_resources(DuckDbLimits limits, const std::string& scratch) {
    limits.num_threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    limits.most_bytes = half_of_memory();
    limits.temp_folder = scratch;
    return limits;
  }

  void clear() {
    chunk_.reset();
    result_.reset();
    statement_.reset();
    num_rows_ = next_row_ = 0;
    is_done_ = true;
  }

  bool fetch() {
    chunk_.reset();
    *chunk_ = duckdb_fetch_chunk(*result_);
    next_row_ = 0;
    num_rows_ = *chunk_ == nullptr ? 0 : duckdb_data_chunk_get_size(*chunk_);
    is_done_ = *chunk_ == nullptr;
    if (!is_done_) return true;
    if (duckdb_result_error(&*result_) != nullptr) fail_to_count();
    require_unchanged();
    return false;
  }

  int64_t number_at(size_t column, idx_t row) {
    duckdb_vector vector = duckdb_data_chunk_get_vector(*chunk_, column);
    uint64_t* validity = duckdb_vector_get_validity(vector);
    const void* values = duckdb_vector_get_data(vector);
    const duckdb_type type = duckdb_column_type(&*result_, column);
    if (validity != nullptr && !duckdb_validity_row_is_valid(validity, row)) fail_to_count();
    if (type == DUCKDB_TYPE_INTEGER) return static_cast<const int32_t*>(values)[row];
    if (type != DUCKDB_TYPE_BIGINT) fail_to_count();
    return static_cast<const int64_t*>(values)[row];
  }

  void require_unchanged() const {
    if (!std::all_of(files_.begin(), files_.end(),
                     [](const SeenFile& file) { return file.is_same(); }))
      fail("changed while it was read; try again when nobody writes to it");
  }

  [[noreturn]] void fail(std::string_view problem) const { fail_in_file(name_, problem); }
  [[noreturn]] void fail_to_find() const {
    require_unchanged();
    fail("has no such table or view that DuckDB can read; files may be damaged");
  }
  [[noreturn]] void fail_to_count() const {
    require_unchanged();
    throw Error(ErrorKind::kRuntime, "data.duckdb",
                fmt::format("{}: DuckDB cannot count it: a file is damaged, or memory and "
                            "temporary files have no room",
                            name_));
  }

  std::string name_;
  std::string table_;
  std::vector<SeenFile> files_;
  ScratchFolder scratch_;
  // Destroyed from the last to the first, as DuckDB wants it.
  DuckDbSession session_;
  Statement statement_;
  Result result_;
  Chunk chunk_;
  std::vector<int64_t> row_;
  idx_t num_rows_ = 0;
  idx_t next_row_ = 0;
  bool is_done_ = true;
};

std::vector<fs::path> parquet_files(const fs::path& path) {
  if (!fs::is_directory(path)) return {path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file() && entry.path().extension() == kParquetEnding)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_parquet_of(const std::vector<fs::path>& files) {
  std::string list;
  for (const fs::path& file : files)
    list += (list.empty() ? "" : ", ") + text_literal(Dialect::kDuckDb, file.string());
  return fmt::format("read_parquet([{}], hive_partitioning=false)", list);
}

/// Refuses names that DuckDB would take for patterns.
void require_plain_names(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    if (file.string().find_first_of("*?[") == std::string::npos) continue;
    fail_in_file(file.string(), "has *, ? or [ in its name; rename it");
  }
}

/// DuckDB would turn the values of one file into the types of another.
void require_same_columns(DuckDbEngine& engine, const std::vector<fs::path>& files) {
  const auto facts_of_columns = [&](const fs::path& file) {
    std::vector<std::pair<std::string, std::string>> facts;
    for (const EngineColumn& column : engine.columns_of(read_parquet_of({file})))
      facts.emplace_back(column.name, column.declared);
    return facts;
  };
  const auto first = facts_of_columns(files.front());
  for (const fs::path& file : files) {
    if (facts_of_columns(file) == first) continue;
    fail_in_file(file.string(),
                 fmt::format("has other columns than {}, or in another order or of other types; "
                             "the files of a folder must have the same",
                             files.front().string()));
  }
}

}  // namespace

std::unique_ptr<Engine> open_duckdb(const fs::path& database, const std::vector<std::string>& table,
                                    const std::string& name) {
  if (!fs::is_regular_file(database)) fail_in_file(database.string(), "is not there, or no file");
  DuckDbLimits limits;
  limits.database = fs::absolute(database).string();
  std::vector<fs::path> files = {database};
  // What was written last may still be beside the database.
  const fs::path log = database.string() + ".wal";
  if (fs::exists(log)) files.push_back(log);
  return std::make_unique<DuckDbEngine>(name, quoted_table(Dialect::kDuckDb, table),
                                        std::move(limits), files);
}

std::unique_ptr<Engine> open_parquet(const fs::path& path, const std::string& name) {
  const std::vector<fs::path> files = parquet_files(fs::absolute(path));
  if (files.empty()) fail_in_file(path.string(), "holds no files whose names end in .parquet");
  require_plain_names(files);
  DuckDbLimits limits;
  for (const fs::path& file : files) limits.files.push_back(file.string());
  auto engine =
      std::make_unique<DuckDbEngine>(name, read_parquet_of(files), std::move(limits), files);
  require_same_columns(*engine, files);
  return engine;
}

bool holds_parquet(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == kParquetEnding) return true;
  return false;
}

}  // namespace equinoise
