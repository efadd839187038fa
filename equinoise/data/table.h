// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "equinoise/data/dataset.h"
#include "equinoise/data/schema.h"

namespace equinoise {

class RecordReader;

/// What a table must hold to be read with a schema.
enum class TableUse {
  /// The table that the schema describes: exactly its columns and its number of records.
  kDescribed,
  /// Another table of the same form: all its columns but ignored ones, any number of records. Other
  /// columns may be there.
  kOther,
  /// The same, where how many records there are is private: there may be none.
  kPrivateSize,
  /// Records to predict for: the feature columns, any number of records. Other columns may be
  /// there.
  kFeaturesOnly,
};

/// Reads a table (CSV, ARFF, JSON, Parquet; all but Parquet also gzip; recognised by its
/// beginning).
///
/// The columns may be in any order; their names must be those of the schema. A null is a missing
/// cell; others are compared as they stand: a blank around a number or a category is part of the
/// cell. Rules for values, none of which throws: a number outside the bounds (or infinite) is
/// clamped; an unlisted category, a missing cell and a malformed number follow the column's policy;
/// each is counted. A record with a dropped cell contributes nothing. A column that `use` allows to
/// be absent and is absent is not part of the dataset.
///
/// Errors (kInput), each naming the file and, where there is one, row, line and column but never a
/// value: those of the format's reader; missing / unexpected / duplicate column; a cell of a
/// numeric column that is not a number (NaN included), where `malformed` is kStop; no rows, but
/// with kPrivateSize; with kDescribed a number of rows other than the schema's public one.
Dataset read_table(const std::filesystem::path& path, const Schema& schema,
                   TableUse use = TableUse::kDescribed);

/// The same for all records of a reader.
Dataset read_records(RecordReader& records, const Schema& schema, TableUse use);

}  // namespace equinoise
