// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/table_layout.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

/// Completes the layout of a CSV file from its beginning, at most 256 KiB.
using CompleteLayout = std::function<void(std::string_view head, TableLayout& layout)>;

/// Opens a table: Parquet, JSON (an array of objects, or one object after another), ARFF or CSV,
/// recognised by its beginning; all but Parquet may be gzip, zip or zstd. Without a header it is
/// CSV or Parquet, since a first cell may begin like the others. A first line "sep=;" of a CSV
/// file sets the separator if `layout` has none; then `complete`, if given, sets the rest. Records
/// in memory have no layout.
///
/// Errors: those of the reader; a first line "sep=;" that contradicts the layout.
std::unique_ptr<RecordReader> open_table(const TableSource& table, TableLayout layout = {},
                                         const CompleteLayout& complete = nullptr);

/// The same for an open file. Errors: also kInput for Parquet from standard input, which cannot be
/// read from its end.
std::unique_ptr<RecordReader> open_table(InputFile file, TableLayout layout = {},
                                         const CompleteLayout& complete = nullptr);

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

/// Throws a usage error that names the table if options on the layout of a text have no effect on
/// it: JSON, Parquet and records in memory define theirs, ARFF all but its encoding. Accepts a file
/// that no reader takes.
void refuse_unused_layout(const TableSource& table, const TableOptions& options);

}  // namespace equinoise
