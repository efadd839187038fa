// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/parquet_reader.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/data/formats/duckdb_session.h"
#include "equinoise/data/formats/parquet_columns.h"

namespace equinoise {

namespace {

using Statement = DuckDbOwned<duckdb_prepared_statement, duckdb_destroy_prepare>;
using Result = DuckDbOwned<duckdb_result, duckdb_destroy_result>;
using Chunk = DuckDbOwned<duckdb_data_chunk, duckdb_destroy_data_chunk>;

/// How the values of a column come from DuckDB. kNone: there is no one usual text.
enum class Form { kText, kTruth, kInteger, kFloat, kDouble, kDate, kTimestamp, kNone };

Form form_of(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_TINYINT:
    case DUCKDB_TYPE_SMALLINT:
    case DUCKDB_TYPE_INTEGER:
    case DUCKDB_TYPE_BIGINT:
    case DUCKDB_TYPE_UTINYINT:
    case DUCKDB_TYPE_USMALLINT:
    case DUCKDB_TYPE_UINTEGER:
      return Form::kInteger;
    case DUCKDB_TYPE_FLOAT:
      return Form::kFloat;
    case DUCKDB_TYPE_DOUBLE:
      return Form::kDouble;
    case DUCKDB_TYPE_BOOLEAN:
      return Form::kTruth;
    case DUCKDB_TYPE_DATE:
      return Form::kDate;
    case DUCKDB_TYPE_TIMESTAMP:
    case DUCKDB_TYPE_TIMESTAMP_S:
    case DUCKDB_TYPE_TIMESTAMP_MS:
    case DUCKDB_TYPE_TIMESTAMP_NS:
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return Form::kTimestamp;
    case DUCKDB_TYPE_UBIGINT:
    case DUCKDB_TYPE_HUGEINT:
    case DUCKDB_TYPE_UHUGEINT:
    case DUCKDB_TYPE_DECIMAL:
    case DUCKDB_TYPE_VARCHAR:
    case DUCKDB_TYPE_ENUM:
    case DUCKDB_TYPE_UUID:
    case DUCKDB_TYPE_TIME:
    case DUCKDB_TYPE_TIME_NS:
    case DUCKDB_TYPE_TIME_TZ:
      return Form::kText;
    default:
      return Form::kNone;
  }
}

int64_t units_per_second(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_TIMESTAMP_S:
      return 1;
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return 1'000;
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return 1'000'000'000;
    default:
      return 1'000'000;
  }
}

/// DuckDB has infinite dates and times, which are the greatest numbers of both signs.
template <typename Value>
Cell time_or_infinity(Value value, Cell cell) {
  constexpr Value kInfinity = std::numeric_limits<Value>::max();
  if (value == kInfinity) return std::string_view("infinity");
  return value == -kInfinity ? std::string_view("-infinity") : cell;
}

}  // namespace

struct ParquetReader::Stream {
  struct Column {
    Form form = Form::kText;
    duckdb_type type = DUCKDB_TYPE_VARCHAR;
    bool has_too_many_digits = false;
    void* values = nullptr;  ///< of the current chunk
    uint64_t* validity = nullptr;

    /// Valid as long as the chunk.
    Cell cell(idx_t row) const {
      if (validity != nullptr && !duckdb_validity_row_is_valid(validity, row)) return {};
      switch (form) {
        case Form::kInteger:
          return Cell::of(static_cast<int64_t*>(values)[row]);
        case Form::kFloat:
          return Cell::of(static_cast<float*>(values)[row]);
        case Form::kDouble:
          return Cell::of(static_cast<double*>(values)[row]);
        case Form::kTruth:
          return std::string_view(static_cast<bool*>(values)[row] ? "true" : "false");
        case Form::kDate: {
          const int32_t day = static_cast<int32_t*>(values)[row];
          return time_or_infinity(day, Cell::of_date(day));
        }
        case Form::kTimestamp: {
          const int64_t time = static_cast<int64_t*>(values)[row];
          return time_or_infinity(time, Cell::of_timestamp(time, units_per_second(type),
                                                           type == DUCKDB_TYPE_TIMESTAMP_TZ));
        }
        default: {
          duckdb_string_t& string = static_cast<duckdb_string_t*>(values)[row];
          return std::string_view(duckdb_string_t_data(&string), duckdb_string_t_length(string));
        }
      }
    }
  };

  explicit Stream(InputFile input) : file(std::move(input)), session(file.alias()) {}

  InputFile file;
  // Destroyed from the last to the first, as DuckDB wants it.
  DuckDbSession session;
  Statement statement;
  Result result;
  Chunk chunk;
  std::vector<Column> columns;
  idx_t num_rows = 0;
  idx_t next_row = 0;
  bool is_done = false;

  /// Prepares a query in which {} is the file.
  void prepare(std::string_view query) {
    chunk.reset();
    result.reset();
    statement.reset();
    const std::string text = fmt::format(fmt::runtime(query), file.alias());
    if (duckdb_prepare(session.connection(), text.c_str(), &*statement) != DuckDBSuccess) fail();
  }

  /// Starts such a query, whose columns come in the forms of `columns`.
  void start(std::string_view query) {
    prepare(query);
    num_rows = next_row = 0;
    is_done = false;
    if (duckdb_execute_prepared_streaming(*statement, &*result) != DuckDBSuccess) fail();
  }

  /// Moves to the next rows; false at the end.
  bool fetch() {
    if (is_done) return false;
    chunk.reset();
    *chunk = duckdb_fetch_chunk(*result);
    is_done = *chunk == nullptr;
    if (is_done) {
      if (duckdb_result_error(&*result) != nullptr) fail();
      return false;
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      duckdb_vector vector = duckdb_data_chunk_get_vector(*chunk, i);
      columns[i].values = duckdb_vector_get_data(vector);
      columns[i].validity = duckdb_vector_get_validity(vector);
    }
    num_rows = duckdb_data_chunk_get_size(*chunk);
    next_row = 0;
    return true;
  }

  [[noreturn]] void fail() {
    fail_in_file(file.name(),
                 "is not a readable Parquet file: it was cut short, is damaged or encrypted, or "
                 "holds text that is not UTF-8");
  }
};

ParquetReader::ParquetReader(InputFile file)
    : RecordReader(file.name()), stream_(std::make_unique<Stream>(std::move(file))) {
  Stream& stream = *stream_;
  stream.prepare("SELECT * FROM read_parquet('{}', hive_partitioning=false)");
  const auto declared = parquet_columns(stream.session.connection(), stream.file.alias());
  const idx_t num_columns = duckdb_prepared_statement_column_count(*stream.statement);
  if (!declared || declared->size() != num_columns) stream.fail();
  stream.columns = std::vector<Stream::Column>(num_columns);
  std::string cells;
  for (size_t i = 0; i < num_columns; ++i) {
    Stream::Column& column = stream.columns[i];
    column.has_too_many_digits = (*declared)[i].num_digits > kMaxDecimalDigits;
    if (column.has_too_many_digits) {
      column.form = Form::kNone;
    } else {
      column.type = duckdb_prepared_statement_column_type(*stream.statement, i);
      column.form = form_of(column.type);
    }
    const std::string cell = column.form == Form::kNone      ? "NULL::VARCHAR"
                             : column.form == Form::kText    ? fmt::format("#{}::VARCHAR", i + 1)
                             : column.form == Form::kInteger ? fmt::format("#{}::BIGINT", i + 1)
                                                             : fmt::format("#{}", i + 1);
    cells += (i == 0 ? "" : ", ") + cell;
    // The query's columns have other names where two names differ in nothing but upper case.
    header_.push_back((*declared)[i].name);
  }
  settle_names();
  cells_.resize(num_columns);
  stream.start("SELECT " + cells + " FROM read_parquet('{}', hive_partitioning=false)");
}

ParquetReader::~ParquetReader() = default;

std::string_view ParquetReader::column_problem(size_t column) const {
  const Stream::Column& values = stream_->columns[column];
  if (values.form != Form::kNone) return "";
  return values.has_too_many_digits ? kHasTooManyDigits : kHasNoText;
}

bool ParquetReader::holds_numbers(size_t column) const {
  const Form form = stream_->columns[column].form;
  return form == Form::kInteger || form == Form::kFloat || form == Form::kDouble;
}

bool ParquetReader::next() {
  Stream& stream = *stream_;
  while (stream.next_row == stream.num_rows) {
    if (!stream.fetch()) return false;
  }
  const idx_t row = stream.next_row++;
  ++row_;
  for (size_t i = 0; i < cells_.size(); ++i) cells_[i] = stream.columns[i].cell(row);
  return true;
}

}  // namespace equinoise
