// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/codes/column_sets.h"
#include "equinoise/data/codes/counted_reader.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// What is asked of an engine that counts a table. Tables that are read here are read as a whole.
struct EngineOptions {
  /// Sets of columns whose values are looked at together; none: all columns in one set. What two
  /// sets share must be in all of them. The rows then agree with the table in each set alone: which
  /// values of two sets are in one row means nothing, so there are no more rows than the sets have
  /// different ones together. Values in no set are not told apart, but which of those cells hold
  /// none, or one outside the bounds, is counted column by column.
  ColumnSets sets = {};
  /// Asked ten times a second, from another thread: whether to give up.
  std::function<bool()> interrupted = {};
};

/// An engine while it counts one table. All calls see the same rows, and none changes anything.
///
/// Errors: kInput for a table that is not there, or that does not fit the schema; kRuntime for what
/// the engine cannot do, for what no count can be, and if interrupted. They never quote a value.
class EngineSession {
 public:
  virtual ~EngineSession() = default;

  /// Counts the rows by the schema. `codings`: those of the schema; columns that are not used are
  /// in no set.
  virtual CountedTable count(const Schema& schema, const std::vector<ColumnCoding>& codings,
                             const EngineOptions& options = {}) = 0;

  /// The same rows in the order in which the engine gives them, each different one once; none is
  /// kept. The session and `schema` outlive the reader. Pre: no sets. The reader has errors, too.
  virtual std::unique_ptr<RecordReader> stream(const Schema& schema,
                                               const EngineOptions& options = {}) = 0;
};

/// Where a table is that an engine counts: in a database, or in a folder of files.
class EngineTable {
 public:
  virtual ~EngineTable() = default;

  /// For messages and run files: where it is, without a password.
  virtual const std::string& name() const = 0;

  /// Errors: those of EngineSession.
  virtual std::unique_ptr<EngineSession> open() const = 0;

  /// Whether both are known to be one table. Errors: those of open(), where both are in databases
  /// that must be asked.
  virtual bool is_same(const EngineTable& other) const = 0;

  /// Whether a file is part of the table, or would be if it were there.
  virtual bool has_file(const std::filesystem::path& file) const = 0;
};

}  // namespace equinoise
