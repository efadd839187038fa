// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/formats/parquet_reader.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"
#include "equinoise/data/formats/duckdb_rows.h"
#include "equinoise/data/formats/parquet_columns.h"

namespace equinoise {

namespace {

/// The form in which the values of a column come from DuckDB. kNone: there is no one usual text.
enum class Form { kText, kTruth, kInteger, kFloat, kDouble, kDate, kTimestamp, kNone };

struct ParquetType {
  Form form = Form::kNone;
  int64_t units_per_second = 0;  ///< of timestamps
  bool has_zone = false;
};

ParquetType parquet_type(duckdb_type type) {
  switch (type) {
    case DUCKDB_TYPE_FLOAT:
      return {Form::kFloat};
    case DUCKDB_TYPE_DOUBLE:
      return {Form::kDouble};
    case DUCKDB_TYPE_BOOLEAN:
      return {Form::kTruth};
    case DUCKDB_TYPE_DATE:
      return {Form::kDate};
    case DUCKDB_TYPE_TIMESTAMP_S:
      return {Form::kTimestamp, 1};
    case DUCKDB_TYPE_TIMESTAMP_MS:
      return {Form::kTimestamp, 1'000};
    case DUCKDB_TYPE_TIMESTAMP:
      return {Form::kTimestamp, 1'000'000};
    case DUCKDB_TYPE_TIMESTAMP_TZ:
      return {Form::kTimestamp, 1'000'000, true};
    case DUCKDB_TYPE_TIMESTAMP_NS:
      return {Form::kTimestamp, 1'000'000'000};
    default:
      break;
  }
  constexpr std::array kIntegers = {
      DUCKDB_TYPE_TINYINT,  DUCKDB_TYPE_SMALLINT,  DUCKDB_TYPE_INTEGER, DUCKDB_TYPE_BIGINT,
      DUCKDB_TYPE_UTINYINT, DUCKDB_TYPE_USMALLINT, DUCKDB_TYPE_UINTEGER};
  constexpr std::array kPrintedAsTexts = {
      DUCKDB_TYPE_UBIGINT, DUCKDB_TYPE_HUGEINT, DUCKDB_TYPE_UHUGEINT, DUCKDB_TYPE_DECIMAL,
      DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_ENUM,    DUCKDB_TYPE_UUID,     DUCKDB_TYPE_TIME,
      DUCKDB_TYPE_TIME_NS, DUCKDB_TYPE_TIME_TZ};
  return {contains(kIntegers, type)         ? Form::kInteger
          : contains(kPrintedAsTexts, type) ? Form::kText
                                            : Form::kNone};
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
    ParquetType type;
    bool has_too_many_digits = false;

    /// Valid as long as the chunk.
    Cell cell(const DuckDbRows::Column& values, idx_t row) const {
      if (values.is_null(row)) return {};
      switch (type.form) {
        case Form::kInteger:
          return Cell::of(values.at<int64_t>(row));
        case Form::kFloat:
          return Cell::of(values.at<float>(row));
        case Form::kDouble:
          return Cell::of(values.at<double>(row));
        case Form::kTruth:
          return std::string_view(values.at<bool>(row) ? "true" : "false");
        case Form::kDate: {
          const auto day = values.at<int32_t>(row);
          return time_or_infinity(day, Cell::of_date(day));
        }
        case Form::kTimestamp: {
          const auto time = values.at<int64_t>(row);
          return time_or_infinity(time,
                                  Cell::of_timestamp(time, type.units_per_second, type.has_zone));
        }
        default: {
          auto& string = values.at<duckdb_string_t>(row);
          return std::string_view(duckdb_string_t_data(&string), duckdb_string_t_length(string));
        }
      }
    }
  };

  explicit Stream(InputFile input) : file(std::move(input)), session(file.alias()) {}

  InputFile file;
  // Destroyed from the last to the first, as DuckDB wants it.
  DuckDbSession session;
  DuckDbRows rows;
  std::vector<Column> columns;

  /// Prepares a query for some expressions of the file's columns.
  void prepare(const std::string& expressions) {
    const std::string query = fmt::format(
        "SELECT {} FROM read_parquet('{}', hive_partitioning=false)", expressions, file.alias());
    if (!rows.prepare(session.connection(), query)) fail();
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
  stream.prepare("*");
  const auto declared = parquet_columns(stream.session.connection(), stream.file.alias());
  const idx_t num_columns = duckdb_prepared_statement_column_count(stream.rows.statement());
  if (!declared || declared->size() != num_columns) stream.fail();
  stream.columns = std::vector<Stream::Column>(num_columns);
  std::string cells;
  for (size_t i = 0; i < num_columns; ++i) {
    Stream::Column& column = stream.columns[i];
    column.has_too_many_digits = (*declared)[i].num_digits > kMaxDecimalDigits;
    if (!column.has_too_many_digits)
      column.type = parquet_type(duckdb_prepared_statement_column_type(stream.rows.statement(), i));
    const Form form = column.type.form;
    const std::string cell = form == Form::kNone      ? "NULL::VARCHAR"
                             : form == Form::kText    ? fmt::format("#{}::VARCHAR", i + 1)
                             : form == Form::kInteger ? fmt::format("#{}::BIGINT", i + 1)
                                                      : fmt::format("#{}", i + 1);
    cells += (i == 0 ? "" : ", ") + cell;
    // The query's columns have other names where two names differ in nothing but upper case.
    header_.push_back((*declared)[i].name);
  }
  settle_names();
  cells_.resize(num_columns);
  stream.prepare(cells);
  if (!stream.rows.start()) stream.fail();
}

ParquetReader::~ParquetReader() = default;

std::string_view ParquetReader::column_problem(size_t column) const {
  const Stream::Column& values = stream_->columns[column];
  if (values.type.form != Form::kNone) return "";
  return values.has_too_many_digits ? kHasTooManyDigits : kHasNoText;
}

bool ParquetReader::holds_numbers(size_t column) const {
  const Form form = stream_->columns[column].type.form;
  return form == Form::kInteger || form == Form::kFloat || form == Form::kDouble;
}

bool ParquetReader::next() {
  Stream& stream = *stream_;
  if (!stream.rows.next()) {
    if (stream.rows.has_failed()) stream.fail();
    return false;
  }
  ++row_;
  for (size_t i = 0; i < cells_.size(); ++i)
    cells_[i] = stream.columns[i].cell(stream.rows.columns()[i], stream.rows.row());
  return true;
}

}  // namespace equinoise
