// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "equinoise/data/formats/byte_stream.h"
#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/table_layout.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

/// A table whose format is known, and of CSV the beginning, from which a layout can be completed.
struct TableStart {
  std::unique_ptr<RecordReader> reader = nullptr;  ///< of a format that defines its layout
  std::optional<ByteStream> csv = std::nullopt;    ///< of CSV; its first block is not yet read
  TableLayout layout = {};                         ///< of CSV
};

/// Recognises a table by its beginning: Parquet, JSON (an array of objects, or one object after
/// another), ARFF or CSV; all but Parquet may be gzip, zip or zstd. Without a header it is CSV or
/// Parquet, since a first cell may begin like the others. A first line "sep=;" of a CSV file sets
/// the separator if `layout` has none. Records in memory have no layout.
///
/// Errors: those of the reader; a first line "sep=;" that contradicts the layout; kInput for
/// Parquet from standard input, which cannot be read from its end.
TableStart start_table(const TableSource& table, TableLayout layout = {});
TableStart start_table(InputFile file, TableLayout layout = {});

/// The reader of a table that was recognised. Errors: those of the reader.
std::unique_ptr<RecordReader> open_table(TableStart start);

/// The two in one.
std::unique_ptr<RecordReader> open_table(const TableSource& table, TableLayout layout = {});

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
