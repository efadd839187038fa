// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/codes/column_sets.h"
#include "equinoise/data/codes/counted_reader.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Options for an engine that counts a table. Tables that are read here are read as a whole.
struct EngineOptions {
  /// Sets of columns whose values are used together; none: all columns in one set. Columns that two
  /// sets share must be in all of them. The rows then agree with the table in each set alone.
  /// Combinations of values from two sets in a row have no meaning, so there are no more rows than
  /// the sets have different ones together. Values of columns in no set are not distinguished.
  /// Cells without a value, or with one outside the bounds, are still counted column by column.
  ColumnSets sets = {};
  /// Asked ten times a second, on another thread, whether to stop; null: nobody watches.
  TaskProgress* progress = nullptr;
};

/// An engine while it counts one table. All calls see the same rows, and none changes anything.
///
/// Errors: kInput for a table that does not exist, or that does not fit the schema; kRuntime for a
/// failure of the engine, for an impossible count, and if cancelled. They never quote a value.
class EngineSession {
 public:
  virtual ~EngineSession() = default;

  /// Counts the rows by the schema. `codings`: those of the schema; columns that are not used are
  /// in no set.
  virtual CountedTable count(const Schema& schema, const std::vector<ColumnCoding>& codings,
                             const EngineOptions& options = {}) = 0;

  /// The same rows in the engine's order; no two are equal, and none is kept here. The session and
  /// `schema` outlive the reader. Pre: no sets. The reader throws the same errors.
  virtual std::unique_ptr<RecordReader> stream(const Schema& schema,
                                               const EngineOptions& options = {}) = 0;
};

/// The place of a table that an engine counts: in a database, or in a folder of files.
class EngineTable {
 public:
  virtual ~EngineTable() = default;

  /// The place for messages and run files, without a password.
  virtual const std::string& name() const = 0;

  /// Errors: those of EngineSession.
  virtual std::unique_ptr<EngineSession> open() const = 0;

  /// Whether both are known to be one table. Errors: those of open(), if both are in databases that
  /// must be queried.
  virtual bool is_same(const EngineTable& other) const = 0;

  /// Whether a file is part of the table, or would be if it existed.
  virtual bool has_file(const std::filesystem::path& file) const = 0;
};

}  // namespace equinoise
