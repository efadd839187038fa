// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "equinoise/data/formats/record_reader.h"

namespace equinoise::testing {

/// The cells of a record; nothing for a null.
using Cells = std::vector<std::optional<std::string>>;

/// All that is left in a reader.
inline std::vector<Cells> all_records(RecordReader& reader) {
  std::vector<Cells> records;
  while (reader.next()) {
    Cells cells;
    for (size_t i = 0; i < reader.header().size(); ++i) {
      const std::string_view cell = reader.text(i);
      const bool is_null = RecordReader::is_null(cell);
      cells.push_back(is_null ? std::nullopt : std::optional<std::string>(cell));
    }
    records.push_back(std::move(cells));
  }
  return records;
}

/// All records of a new reader, and its header.
template <typename Reader>
std::vector<Cells> read_all(Reader& reader, std::vector<std::string>& header) {
  header = reader.header();
  EXPECT_EQ(reader.row(), 0);
  std::vector<Cells> records = all_records(reader);
  EXPECT_EQ(reader.row(), static_cast<int64_t>(records.size()));
  EXPECT_FALSE(reader.next()) << "the end stays the end";
  return records;
}

}  // namespace equinoise::testing
