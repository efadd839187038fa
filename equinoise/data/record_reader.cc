// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/record_reader.h"

#include <fmt/format.h>

#include <utility>

#include "equinoise/data/arff_reader.h"
#include "equinoise/data/csv_reader.h"
#include "equinoise/data/json_reader.h"
#include "equinoise/data/parquet_reader.h"

namespace equinoise {

void RecordReader::fail(std::string_view problem) const { fail_in_file(name_, problem); }

void RecordReader::fail_here(std::string_view problem) const {
  fail(fmt::format("{} {}", place(), problem));
}

std::string RecordReader::place() const { return fmt::format("row {}", row_); }

std::unique_ptr<RecordReader> open_table(const std::filesystem::path& path) {
  constexpr std::string_view kParquetMagic = "PAR1";
  InputFile file(path);
  if (file.starts_with(kParquetMagic)) return std::make_unique<ParquetReader>(std::move(file));

  ByteStream bytes(std::move(file));
  const std::string_view start = bytes.block();
  if (start.starts_with(kParquetMagic)) {
    fail_in_file(bytes.name(), "is a Parquet file compressed with gzip; unpack it with gunzip");
  }
  if (start.starts_with(std::string_view("\0\0\x08", 3))) {
    fail_in_file(bytes.name(),
                 "is not a table: it begins like an idx file of images or labels, which need a "
                 "schema with [image]");
  }
  const size_t text = start.find_first_not_of(" \t\r\n");
  if (text != start.npos && (start[text] == '[' || start[text] == '{')) {
    return std::make_unique<JsonReader>(std::move(bytes));
  }
  if (starts_like_arff(start)) return std::make_unique<ArffReader>(std::move(bytes));
  return std::make_unique<CsvReader>(std::move(bytes));
}

}  // namespace equinoise
