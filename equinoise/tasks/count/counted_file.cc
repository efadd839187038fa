// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tasks/count/counted_file.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "equinoise/base/error.h"
#include "equinoise/data/formats/parquet_writer.h"
#include "equinoise/report/format.h"

namespace equinoise {

namespace {

[[noreturn]] void refuse_csv(const std::string& problem) {
  throw Error(ErrorKind::kUsage, "tasks.count",
              problem + "; give --out a name that ends in .parquet");
}

/// The text of a missing cell; empty if the schema has none.
std::optional<std::string> missing_text(const Schema& schema) {
  const std::vector<std::string>& marks = schema.missing_values;
  if (marks.empty()) return std::nullopt;
  const bool may_be_empty = std::find(marks.begin(), marks.end(), "") != marks.end();
  return may_be_empty ? "" : marks.front();
}

std::string cell_between(const std::string& text, char delimiter) {
  if (text.find(delimiter) == text.npos || delimiter == ',') return csv_cell(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

void check_counted_csv(const Schema& schema) {
  if (!schema.layout.has_header) {
    refuse_csv("the schema describes tables without a header, and a counted one needs it");
  }
  if (schema.layout.encoding != Encoding::kUtf8)
    refuse_csv("the schema describes tables in another encoding than UTF-8");
  if (!missing_text(schema)) {
    refuse_csv("the schema lists no text of a missing cell in missing_values, which CSV needs");
  }
}

void write_counted_csv(RecordReader& records, const Schema& schema,
                       const std::function<void(std::string_view)>& write) {
  constexpr size_t kPiece = size_t{1} << 16;
  const char delimiter = schema.layout.delimiter.value_or(',');
  const std::string missing = cell_between(*missing_text(schema), delimiter);
  std::string text;
  for (const std::string& name : records.header())
    text += (text.empty() ? "" : std::string(1, delimiter)) + cell_between(name, delimiter);
  text += '\n';
  while (records.next()) {
    for (size_t i = 0; i < records.header().size(); ++i) {
      const std::string_view cell = records.text(i);
      if (i > 0) text += delimiter;
      text += RecordReader::is_null(cell) ? missing : cell_between(std::string(cell), delimiter);
    }
    text += '\n';
    if (text.size() < kPiece) continue;
    write(text);
    text.clear();
  }
  write(text);
}

void write_counted_parquet(RecordReader& records,
                           const std::function<void(std::string_view)>& write) {
  const std::vector<std::string>& names = records.header();
  ParquetWriter::check_names(names);
  std::vector<ParquetWriter::Column> columns;
  for (const std::string& name : names) columns.push_back({name, ParquetWriter::Type::kText});
  columns.back().type = ParquetWriter::Type::kInteger;
  ParquetWriter writer(columns);
  const auto add_row = [&] {
    if (!records.next()) return false;
    for (size_t i = 0; i + 1 < names.size(); ++i) {
      const std::string_view cell = records.text(i);
      if (RecordReader::is_null(cell)) {
        writer.add_null();
      } else {
        writer.add(cell);
      }
    }
    const std::string_view text = records.text(names.size() - 1);
    int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    writer.add(count);
    return true;
  };
  writer.write(add_row, write);
}

}  // namespace equinoise
