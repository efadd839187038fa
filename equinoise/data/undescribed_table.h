// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "equinoise/data/formats/record_reader.h"

namespace equinoise {

/// An open table and the layout of its text.
struct OpenTable {
  std::unique_ptr<RecordReader> reader;
  bool is_csv = false;
  TableLayout layout;  ///< of CSV
};

/// Opens a table without a schema. The separator and the decimal mark of CSV are recognised from
/// its first lines, unless `options` give them. NOT PRIVATE. Errors: those of open_table and of
/// delimiter_of_lines.
OpenTable open_undescribed(const TableSource& source, const TableOptions& options);

}  // namespace equinoise
