// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/row_file.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>

#include "equinoise/base/csv_cell.h"
#include "equinoise/data/formats/parquet_writer.h"
#include "equinoise/data/values/parse_truth.h"
#include "equinoise/synth/synth_progress.h"

namespace equinoise {

namespace {

constexpr int64_t kBlock = 4096;  // rows

/// Data that a column needs for each of many rows: the texts of its codes, or the numbers of its
/// bins.
struct CellSource {
  std::vector<std::string> texts;
  std::vector<BinNumbers> bins;
  std::vector<size_t> categories;  ///< of Parquet: the place of each code's text among these

  CellSource(const ColumnCodes& column, RandomSource& source) {
    for (uint32_t code = 0; code < column.num_codes(); ++code) {
      if (column.is_numeric() && !column.is_missing(code)) {
        bins.push_back(column.numbers_of(code));
        texts.emplace_back();
      } else {
        texts.push_back(column.decode(code, source));
      }
    }
  }
};

std::vector<CellSource> cell_sources(const std::vector<ColumnCodes>& columns,
                                     RandomSource& source) {
  std::vector<CellSource> sources;
  sources.reserve(columns.size());
  for (const ColumnCodes& column : columns) sources.emplace_back(column, source);
  return sources;
}

void append_number(double number, const ColumnCodes& column, std::string& text) {
  constexpr double kFew = 1e15;
  if (column.time) {
    text += column.text_of(number);
  } else if (column.whole && std::abs(number) < kFew) {
    const fmt::format_int digits(static_cast<int64_t>(number));
    text.append(digits.data(), digits.size());
  } else if (column.whole) {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{:.0f}"), number);
  } else {
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), number);
  }
}

void write_csv(RowStream& rows, int64_t num_rows, const std::vector<ColumnCodes>& columns,
               RandomSource& source, const std::function<void(std::string_view)>& sink,
               const TaskProgress& progress) {
  std::string text;
  for (size_t i = 0; i < columns.size(); ++i)
    text += (i == 0 ? "" : ",") + csv_cell(columns[i].name);
  text += '\n';
  std::vector<CellSource> sources = cell_sources(columns, source);
  for (CellSource& own : sources)
    for (std::string& cell : own.texts) cell = csv_cell(cell);
  for (int64_t left = num_rows; left > 0; left -= kBlock) {
    check_interrupted(progress);
    const CodedRows block = rows.next(static_cast<size_t>(std::min(left, kBlock)));
    for (size_t row = 0; row < block.num_rows; ++row) {
      const size_t begin = text.size();
      for (size_t i = 0; i < columns.size(); ++i) {
        if (i > 0) text += ',';
        const uint16_t code = block.columns[i][row];
        if (code < sources[i].bins.size()) {
          append_number(sources[i].bins[code].draw(source), columns[i], text);
        } else {
          text += sources[i].texts[code];
        }
      }
      if (text.size() == begin) text += "\"\"";  // a line without anything may be no record
      text += '\n';
    }
    sink(text);
    text.clear();
  }
  sink(text);
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
  if (!column.is_numeric()) return ParquetWriter::Type::kCategory;
  if (!column.time) {
    return column.whole ? ParquetWriter::Type::kInteger : ParquetWriter::Type::kNumber;
  }
  // Parquet keeps no zone with a timestamp, so one that has a zone stays a text.
  if (column.time->offset) return ParquetWriter::Type::kText;
  return column.time->has_time() ? ParquetWriter::Type::kTimestamp : ParquetWriter::Type::kDate;
}

/// Numbers the different texts of a column; one with a text that is no category stays kText.
void find_categories(CellSource& source, ParquetWriter::Column& column) {
  std::map<std::string_view, size_t> places;
  for (const std::string& text : source.texts) {
    if (text.find('\0') != std::string::npos) {
      column.type = ParquetWriter::Type::kText;
      return;
    }
    source.categories.push_back(places.emplace(text, places.size()).first->second);
  }
  column.categories.resize(places.size());
  for (const auto& [text, place] : places) column.categories[place] = text;
}

void write_parquet(RowStream& rows, int64_t num_rows, const std::vector<ColumnCodes>& columns,
                   RandomSource& source, const std::function<void(std::string_view)>& sink,
                   const TaskProgress& progress) {
  std::vector<ParquetWriter::Column> types;
  types.reserve(columns.size());
  std::vector<CellSource> sources = cell_sources(columns, source);
  for (size_t i = 0; i < columns.size(); ++i) {
    types.push_back({columns[i].name, parquet_type(columns[i])});
    if (types[i].type == ParquetWriter::Type::kCategory) find_categories(sources[i], types[i]);
  }
  ParquetWriter writer(types);
  CodedRows block;
  size_t row = 0;
  int64_t left = num_rows;
  const auto add_row = [&] {
    if (row == block.num_rows) {
      if (left == 0) return false;
      check_interrupted(progress);
      block = rows.next(static_cast<size_t>(std::min(left, kBlock)));
      left -= static_cast<int64_t>(block.num_rows);
      row = 0;
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      const uint16_t code = block.columns[i][row];
      if (columns[i].is_missing(code)) {
        writer.add_null();
      } else if (types[i].type == ParquetWriter::Type::kTruth) {
        writer.add(*parse_truth(sources[i].texts[code]));
      } else if (types[i].type == ParquetWriter::Type::kCategory) {
        writer.add_category(sources[i].categories[code]);
      } else if (!columns[i].is_numeric()) {
        writer.add(sources[i].texts[code]);
      } else if (columns[i].time) {
        writer.add(columns[i].text_of(sources[i].bins[code].draw(source)));
      } else if (columns[i].whole) {
        writer.add(static_cast<int64_t>(sources[i].bins[code].draw(source)));
      } else {
        writer.add(sources[i].bins[code].draw(source));
      }
    }
    ++row;
    return true;
  };
  writer.write(add_row, sink);
}

}  // namespace

void check_row_format(RowFormat format, const std::vector<ColumnCodes>& columns) {
  if (format != RowFormat::kParquet) return;
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const ColumnCodes& column : columns) names.push_back(column.name);
  ParquetWriter::check_names(names);
}

void write_rows(RowStream& rows, int64_t num_rows, const std::vector<ColumnCodes>& columns,
                RowFormat format, RandomSource& source,
                const std::function<void(std::string_view)>& sink, const TaskProgress& progress) {
  const auto write = format == RowFormat::kCsv ? write_csv : write_parquet;
  write(rows, num_rows, columns, source, sink, progress);
}

int64_t max_csv_bytes(const std::vector<ColumnCodes>& columns, int64_t num_rows) {
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
