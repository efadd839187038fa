// SPDX-License-Identifier: Apache-2.0
#pragma once

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

}  // namespace equinoise::testing
