// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/synth/row_file.h"

#include <algorithm>

#include "equinoise/data/formats/parquet_writer.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

/// Whether something is to be called before a row.
bool is_pause(size_t row) {
  constexpr size_t kRows = 4096;
  return row % kRows == 0;
}

std::string rows_to_csv(const CodedRows& rows, const std::vector<ColumnCodes>& columns,
                        RandomSource& source, const std::function<void()>& at_times) {
  std::string text;
  std::vector<std::vector<std::string>> cells(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    text += (i == 0 ? "" : ",") + csv_cell(columns[i].name);
    if (columns[i].is_numeric()) continue;
    for (uint32_t code = 0; code < columns[i].num_codes(); ++code)
      cells[i].push_back(csv_cell(columns[i].decode(code, source)));
  }
  text += '\n';
  for (size_t row = 0; row < rows.num_rows; ++row) {
    if (at_times && is_pause(row)) at_times();
    const size_t begin = text.size();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      const uint16_t code = rows.columns[i][row];
      if (columns[i].is_numeric()) {
        text += columns[i].decode(code, source);
      } else {
        text += cells[i][code];
      }
    }
    if (text.size() == begin) text += "\"\"";  // a line without anything may be no record
    text += '\n';
  }
  return text;
}

/// Whether rows hold true and false. A schema takes truth values for these, however they are
/// spelled.
bool holds_truth(const ColumnCodes& column) {
  if (column.is_numeric() || column.values.size() != (column.missing_text ? 3 : 2)) return false;
  const std::vector<std::string>& texts =
      column.cell_texts.empty() ? column.values : column.cell_texts;
  return are_true_and_false(texts[0], texts[1]);
}

ParquetWriter::Type parquet_type(const ColumnCodes& column) {
  if (holds_truth(column)) return ParquetWriter::Type::kTruth;
  if (!column.is_numeric()) return ParquetWriter::Type::kText;
  if (!column.time) {
    return column.whole ? ParquetWriter::Type::kInteger : ParquetWriter::Type::kNumber;
  }
  // Parquet keeps no zone with a timestamp, so one that has a zone stays a text.
  if (column.time->offset) return ParquetWriter::Type::kText;
  return column.time->has_time() ? ParquetWriter::Type::kTimestamp : ParquetWriter::Type::kDate;
}

std::string rows_to_parquet(const CodedRows& rows, const std::vector<ColumnCodes>& columns,
                            RandomSource& source, const std::function<void()>& at_times) {
  std::vector<ParquetWriter::Column> types;
  types.reserve(columns.size());
  for (const ColumnCodes& column : columns) {
    types.push_back({column.name, parquet_type(column)});
  }
  ParquetWriter writer(types);
  for (size_t row = 0; row < rows.num_rows; ++row) {
    if (at_times && is_pause(row)) at_times();
    for (size_t i = 0; i < columns.size(); ++i) {
      const uint16_t code = rows.columns[i][row];
      if (columns[i].is_missing(code)) {
        writer.add_null();
      } else if (types[i].type == ParquetWriter::Type::kTruth) {
        writer.add(*parse_truth(columns[i].decode(code, source)));
      } else if (!columns[i].is_numeric()) {
        writer.add(columns[i].decode(code, source));
      } else if (columns[i].time) {
        writer.add(columns[i].decode(code, source));
      } else if (columns[i].whole) {
        writer.add(static_cast<int64_t>(columns[i].draw_number(code, source)));
      } else {
        writer.add(columns[i].draw_number(code, source));
      }
    }
    writer.end_row();
  }
  return writer.finish();
}

}  // namespace

void check_row_format(RowFormat format, const std::vector<ColumnCodes>& columns) {
  if (format != RowFormat::kParquet) return;
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const ColumnCodes& column : columns) names.push_back(column.name);
  ParquetWriter::check_names(names);
}

std::string row_file(const CodedRows& rows, const std::vector<ColumnCodes>& columns,
                     RowFormat format, RandomSource& source,
                     const std::function<void()>& at_times) {
  return format == RowFormat::kCsv ? rows_to_csv(rows, columns, source, at_times)
                                   : rows_to_parquet(rows, columns, source, at_times);
}

int64_t most_csv_bytes(const std::vector<ColumnCodes>& columns, int64_t num_rows) {
  constexpr size_t kLongestNumber = 32;  // 2024-03-01T10:20:30.123456+02:00
  size_t header = 0;
  size_t row = 0;
  for (const ColumnCodes& column : columns) {
    header += csv_cell(column.name).size() + 1;
    size_t longest = column.is_numeric() ? kLongestNumber : 0;
    for (const std::string& value : column.values)
      longest = std::max(longest, csv_cell(value).size());
    for (const std::string& text : column.cell_texts)
      longest = std::max(longest, csv_cell(text).size());
    if (column.missing_text) longest = std::max(longest, csv_cell(*column.missing_text).size());
    row += longest + 1;
  }
  return static_cast<int64_t>(header) + num_rows * static_cast<int64_t>(row);
}

Schema in_usual_layout(Schema schema) {
  schema.layout = {.delimiter = ','};
  for (ColumnSchema& column : schema.columns) column.thousands = '\0';
  return schema;
}

}  // namespace equinoise
