// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/open_table.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "equinoise/base/error.h"
#include "equinoise/data/formats/arff_reader.h"
#include "equinoise/data/formats/csv_reader.h"
#include "equinoise/data/formats/delimiter.h"
#include "equinoise/data/formats/file_kind.h"
#include "equinoise/data/formats/json_reader.h"
#include "equinoise/data/formats/parquet_reader.h"

namespace equinoise {

namespace {

/// The reader of a table; nullptr if it cannot be opened.
std::unique_ptr<RecordReader> reader_of(const TableSource& table, const TableOptions& options) {
  TableLayout layout;
  layout.has_header = options.has_header.value_or(true);
  layout.encoding = options.encoding.value_or(Encoding::kUtf8);
  try {
    return open_table(table, layout);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace

TableStart start_table(const TableSource& table, TableLayout layout) {
  if (!table.is_file()) return {.reader = table.open_records()};
  return start_table(InputFile(table.path()), layout);
}

TableStart start_table(InputFile file, TableLayout layout) {
  constexpr std::string_view kParquetMagic = "PAR1";
  if (file.starts_with(kParquetMagic)) {
    if (file.is_standard_input())
      fail_in_file(file.name(), "holds Parquet, which is read from a file only; name the file");
    return {.reader = std::make_unique<ParquetReader>(std::move(file))};
  }

  ByteStream bytes(std::move(file));
  const std::string_view start = bytes.block();
  if (start.starts_with(kParquetMagic)) {
    fail_in_file(bytes.name(), "is a packed Parquet file; unpack it with gunzip or unzip");
  }
  if (start.starts_with(std::string_view("\0\0\x08", 3))) {
    fail_in_file(bytes.name(),
                 "is not a table: it begins like an idx file of images or labels, which need a "
                 "schema with [image]");
  }
  if (layout.has_header) {
    const std::string_view problem = problem_of_text(start);
    if (!problem.empty()) fail_in_file(bytes.name(), problem);
    const size_t text = start.find_first_not_of(" \t\r\n");
    if (text != start.npos && (start[text] == '[' || start[text] == '{'))
      return {.reader = std::make_unique<JsonReader>(std::move(bytes))};
    if (starts_like_arff(start))
      return {.reader = std::make_unique<ArffReader>(std::move(bytes), layout.encoding)};
  }

  if (const std::optional<char> declared = declared_delimiter(start)) {
    if (layout.delimiter.value_or(*declared) != *declared) {
      fail_in_file(bytes.name(),
                   fmt::format("says in its first line that its cells are separated "
                               "by {}, not by {}; correct --delimiter or the schema",
                               delimiter_name(*declared), delimiter_name(*layout.delimiter)));
    }
    layout.delimiter = declared;
  }
  return {.csv = std::move(bytes), .layout = layout};
}

std::unique_ptr<RecordReader> open_table(TableStart start) {
  if (start.reader) return std::move(start.reader);
  return std::make_unique<CsvReader>(std::move(*start.csv), start.layout);
}

std::unique_ptr<RecordReader> open_table(const TableSource& table, TableLayout layout) {
  return open_table(start_table(table, layout));
}

OpenTable open_undescribed(const TableSource& source, const TableOptions& options) {
  TableLayout given;
  given.delimiter = options.delimiter;
  given.decimal_comma = options.decimal_comma.value_or(false);
  given.has_header = options.has_header.value_or(true);
  given.encoding = options.encoding.value_or(Encoding::kUtf8);
  TableStart start = start_table(source, given);
  TableLayout& layout = start.layout;
  const bool is_csv = start.csv.has_value();
  if (is_csv) {
    const std::string_view head = start.csv->block();
    if (!layout.delimiter) layout.delimiter = delimiter_of_lines(head, source.name());
    if (!options.decimal_comma) layout.decimal_comma = has_decimal_commas(head, *layout.delimiter);
  }
  const TableLayout completed = layout;
  return {open_table(std::move(start)), is_csv, completed};
}

void refuse_unused_layout(const TableSource& table, const TableOptions& options) {
  const bool is_of_csv = options.delimiter || options.decimal_comma || options.has_header;
  if (!is_of_csv && !options.encoding) return;
  if (!table.is_engine()) {
    const std::unique_ptr<RecordReader> reader = reader_of(table, options);
    if (reader == nullptr || dynamic_cast<const CsvReader*>(reader.get()) != nullptr) return;
    if (!is_of_csv && dynamic_cast<const ArffReader*>(reader.get()) != nullptr) return;
  }
  throw Error(ErrorKind::kUsage, "data.table",
              "{}: is not CSV, so {} nothing about it; leave {} out", table.name(),
              is_of_csv ? "--delimiter, --decimal-comma, --decimal-point, --header and "
                          "--no-header say"
                        : "--encoding says",
              is_of_csv ? "them" : "it");
}

}  // namespace equinoise
