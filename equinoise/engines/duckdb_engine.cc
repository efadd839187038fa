// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/duckdb_engine.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/counted_rows.h"
#include "equinoise/data/formats/duckdb_rows.h"
#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/formats/parquet_columns.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/engines/parquet_folder.h"

namespace equinoise {

namespace {

namespace fs = std::filesystem;

/// A new folder for data that do not fit in memory. It is deleted with the object.
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

std::vector<SeenFile> seen_files(const std::vector<fs::path>& paths) {
  std::vector<SeenFile> files;
  for (const fs::path& path : paths) files.emplace_back(path);
  return files;
}

EngineType engine_type(duckdb_type type) {
  static const std::map<EngineType, std::vector<duckdb_type>> kTypes = {
      {EngineType::kText, {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_ENUM}},
      {EngineType::kInteger,
       {DUCKDB_TYPE_TINYINT, DUCKDB_TYPE_SMALLINT, DUCKDB_TYPE_INTEGER, DUCKDB_TYPE_BIGINT,
        DUCKDB_TYPE_HUGEINT, DUCKDB_TYPE_UTINYINT, DUCKDB_TYPE_USMALLINT, DUCKDB_TYPE_UINTEGER,
        DUCKDB_TYPE_UBIGINT}},
      {EngineType::kDecimal, {DUCKDB_TYPE_DECIMAL}},
      {EngineType::kFloat, {DUCKDB_TYPE_FLOAT}},
      {EngineType::kDouble, {DUCKDB_TYPE_DOUBLE}},
      {EngineType::kBoolean, {DUCKDB_TYPE_BOOLEAN}},
      {EngineType::kDate, {DUCKDB_TYPE_DATE}},
      {EngineType::kTimestamp,
       {DUCKDB_TYPE_TIMESTAMP, DUCKDB_TYPE_TIMESTAMP_S, DUCKDB_TYPE_TIMESTAMP_MS,
        DUCKDB_TYPE_TIMESTAMP_NS}},
      {EngineType::kZonedTimestamp, {DUCKDB_TYPE_TIMESTAMP_TZ}}};
  for (const auto& [of_engine, types] : kTypes)
    if (contains(types, type)) return of_engine;
  return EngineType::kOther;
}

/// A text cell of a small result.
std::string text_at(duckdb_result& result, idx_t column, idx_t row) {
  char* text = duckdb_value_varchar(&result, column, row);
  std::string copy = text == nullptr ? "" : text;
  duckdb_free(text);
  return copy;
}

/// Counting with DuckDB. Derived classes give the columns.
class DuckDbEngine : public Engine {
 public:
  DuckDbEngine(std::string name, std::string table, DuckDbLimits limits,
               const std::vector<fs::path>& files)
      : name_(std::move(name)),
        table_(std::move(table)),
        files_(seen_files(files)),
        session_(with_resources(std::move(limits), scratch_.path())) {
    // All statements see the same rows in one transaction.
    if (!session_.succeeds("BEGIN TRANSACTION")) fail("cannot begin to read");
  }

  Dialect dialect() const override { return Dialect::kDuckDb; }
  const std::string& name() const override { return name_; }
  const std::string& table() const override { return table_; }
  bool gives_numbers() const override { return true; }
  void start(const std::string& statement) override {
    if (!rows_.prepare(session_.connection(), statement) || !rows_.start()) fail_to_count();
    row_.resize(rows_.columns().size());
  }

  void cancel() override { duckdb_interrupt(session_.connection()); }

  std::span<const int64_t> next() override {
    if (!rows_.next()) {
      if (rows_.has_failed()) fail_to_count();
      require_unchanged();
      return {};
    }
    for (size_t i = 0; i < row_.size(); ++i) row_[i] = number_at(rows_.columns()[i], rows_.row());
    return row_;
  }

 protected:
  using Statement = DuckDbOwned<duckdb_prepared_statement, duckdb_destroy_prepare>;
  using Result = DuckDbOwned<duckdb_result, duckdb_destroy_result>;

  /// The columns of a FROM clause; nothing if DuckDB cannot read it.
  std::vector<EngineColumn> described(const std::string& table) {
    rows_.clear();
    const std::string query = fmt::format("SELECT * FROM {} LIMIT 0", table);
    Statement statement;
    if (duckdb_prepare(session_.connection(), query.c_str(), &*statement) != DuckDBSuccess)
      return {};
    Result names;
    const std::string description = "DESCRIBE " + query;
    if (duckdb_query(session_.connection(), description.c_str(), &*names) != DuckDBSuccess)
      return {};
    std::vector<EngineColumn> columns;
    for (idx_t i = 0; i < duckdb_row_count(&*names); ++i) {
      columns.push_back({text_at(*names, 0, i),
                         engine_type(duckdb_prepared_statement_column_type(*statement, i)),
                         text_at(*names, 1, i)});
    }
    return columns;
  }

  duckdb_connection connection() { return session_.connection(); }

  void require_unchanged() const {
    if (!std::ranges::all_of(files_, &SeenFile::is_same))
      fail("changed while it was read; try again when nobody writes to it");
  }

  [[noreturn]] void fail(std::string_view problem) const { fail_in_file(name_, problem); }

 private:
  static DuckDbLimits with_resources(DuckDbLimits limits, const std::string& scratch) {
    limits.num_threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    limits.max_bytes = half_of_memory();
    limits.temp_folder = scratch;
    return limits;
  }

  int64_t number_at(const DuckDbRows::Column& column, idx_t row) const {
    const bool is_null = column.is_null(row);
    if (column.type == DUCKDB_TYPE_DOUBLE)
      return std::bit_cast<int64_t>(is_null ? std::nan("") : column.at<double>(row));
    if (is_null) fail_to_count();
    if (column.type == DUCKDB_TYPE_INTEGER) return column.at<int32_t>(row);
    if (column.type != DUCKDB_TYPE_BIGINT) fail_to_count();
    return column.at<int64_t>(row);
  }

  [[noreturn]] void fail_to_count() const {
    require_unchanged();
    throw Error(ErrorKind::kRuntime, "data.duckdb",
                "{}: DuckDB cannot count it: a file is damaged, or memory and "
                "temporary files have no room",
                name_);
  }

  std::string name_;
  std::string table_;
  std::vector<SeenFile> files_;
  ScratchFolder scratch_;
  // Destroyed from the last to the first, as DuckDB requires.
  DuckDbSession session_;
  DuckDbRows rows_;
  std::vector<int64_t> row_;
};

class DatabaseEngine : public DuckDbEngine {
 public:
  /// `table`: the parts of its name.
  DatabaseEngine(std::string name, std::vector<std::string> table, DuckDbLimits limits,
                 const std::vector<fs::path>& files)
      : DuckDbEngine(std::move(name), quoted_table(Dialect::kDuckDb, table), std::move(limits),
                     files),
        parts_(std::move(table)) {}

  std::vector<EngineColumn> columns() override {
    std::vector<EngineColumn> columns = described(table());
    if (!columns.empty()) return columns;
    require_unchanged();
    if (!is_view()) fail("has no such table or view");
    fail(
        "is a view that cannot be read here: a view may read tables of its own database, but no "
        "files and no other database; make a table of it with CREATE TABLE ... AS, and name that");
  }

 private:
  bool is_view() {
    const std::string schema = parts_.size() > 1 ? parts_[parts_.size() - 2] : "main";
    const std::string query = fmt::format(
        "SELECT 1 FROM duckdb_views() WHERE lower(view_name) = lower({}) AND lower(schema_name) = "
        "lower({})",
        text_literal(Dialect::kDuckDb, parts_.back()), text_literal(Dialect::kDuckDb, schema));
    Result result;
    return duckdb_query(connection(), query.c_str(), &*result) == DuckDBSuccess &&
           duckdb_row_count(&*result) > 0;
  }

  std::vector<std::string> parts_;
};

std::string read_parquet_of(const std::vector<fs::path>& files) {
  std::string list;
  for (const fs::path& file : files)
    list += (list.empty() ? "" : ", ") + text_literal(Dialect::kDuckDb, file.string());
  return fmt::format("read_parquet([{}], hive_partitioning=false)", list);
}

class ParquetEngine : public DuckDbEngine {
 public:
  ParquetEngine(std::string name, const std::vector<fs::path>& files)
      : DuckDbEngine(std::move(name), read_parquet_of(files), limits_of(files), files),
        first_(files.front()) {
    require_same_columns(files);
  }

  std::vector<EngineColumn> columns() override { return columns_of(first_); }

 private:
  static DuckDbLimits limits_of(const std::vector<fs::path>& files) {
    DuckDbLimits limits;
    for (const fs::path& file : files) limits.files.push_back(file.string());
    return limits;
  }

  std::vector<EngineColumn> columns_of(const fs::path& file) {
    std::vector<EngineColumn> columns = described(read_parquet_of({file}));
    const auto declared = parquet_columns(connection(), file.string());
    if (columns.empty() || !declared || declared->size() != columns.size()) {
      require_unchanged();
      fail_in_file(file.string(),
                   "is not a readable Parquet file: it is empty, was cut short, is damaged or "
                   "encrypted, or has no columns");
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      EngineColumn& column = columns[i];
      const ParquetColumn& of_file = (*declared)[i];
      column.remedy =
          "write the files again with it as one, or have DuckDB make a table of them in a database "
          "(CREATE TABLE ... AS) in which it is one, and give duckdb:FILE#TABLE";
      if (of_file.num_digits <= kMaxDecimalDigits) continue;
      column.type = EngineType::kOther;
      column.declared = fmt::format("DECIMAL({},{})", of_file.num_digits, of_file.num_decimals);
      column.remedy =
          "DuckDB as it is here reads decimal numbers of more than 38 digits as other numbers: "
          "have "
          "another program write the files again with at most 38, or with floating-point numbers";
    }
    return columns;
  }

  /// Refuses files whose columns differ: DuckDB would convert the values of one to the types of
  /// another.
  void require_same_columns(const std::vector<fs::path>& files) {
    const auto facts_of_columns = [&](const fs::path& file) {
      std::vector<std::pair<std::string, std::string>> facts;
      for (const EngineColumn& column : columns_of(file))
        facts.emplace_back(column.name, column.declared);
      return facts;
    };
    const auto first = facts_of_columns(first_);
    for (const fs::path& file : files) {
      if (file == first_ || facts_of_columns(file) == first) continue;
      fail_in_file(file.string(),
                   fmt::format("has other columns than {}, or in another order or of other types; "
                               "the files of a folder must have the same",
                               first_.string()));
    }
  }

  fs::path first_;
};

/// Refuses names that DuckDB would take for patterns.
void require_plain_names(const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    if (file.string().find_first_of("*?[") == std::string::npos) continue;
    fail_in_file(file.string(), "has *, ? or [ in its name; rename it");
  }
}

}  // namespace

std::unique_ptr<Engine> open_duckdb(const fs::path& database, const std::vector<std::string>& table,
                                    const std::string& name) {
  if (!fs::is_regular_file(database)) fail_in_file(database.string(), "is not there, or no file");
  DuckDbLimits limits;
  limits.database = fs::absolute(database).string();
  std::vector<fs::path> files = {database};
  // Recent changes may be in a log next to the database.
  const fs::path log = database.string() + ".wal";
  if (fs::exists(log)) files.push_back(log);
  return std::make_unique<DatabaseEngine>(name, table, std::move(limits), files);
}

std::unique_ptr<Engine> open_parquet(const fs::path& path, const std::string& name) {
  const fs::path absolute = fs::absolute(path);
  const std::vector<fs::path> files =
      fs::is_directory(absolute) ? parquet_files(absolute) : std::vector<fs::path>{absolute};
  if (files.empty()) fail_in_file(path.string(), "holds no files whose names end in .parquet");
  require_plain_names(files);
  return std::make_unique<ParquetEngine>(name, files);
}

}  // namespace equinoise
