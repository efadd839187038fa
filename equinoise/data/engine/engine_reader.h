// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "equinoise/data/engine/code_counter.h"
#include "equinoise/data/engine/column_coding.h"
#include "equinoise/data/engine/engine.h"
#include "equinoise/data/engine/engine_options.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// What a table is counted as. Sensitive, also the number of its distinct rows.
struct CountedTable {
  CountedCodes rows;
  int64_t num_units = 0;  ///< where the schema has a column of units, how many there are
};

/// Has an engine count its table by the schema, or counts here what it gives as numbers. The rows
/// are in the order of their codes. `codings`: those of the schema; columns that are not used are
/// in no set. Errors: those of count_query and of the engine; kRuntime for what no count can be,
/// and if interrupted.
CountedTable count_by_engine(Engine& engine, const Schema& schema,
                             const std::vector<ColumnCoding>& codings,
                             const EngineOptions& options = {});

/// A warning before an engine counts, if by public facts so many rows may differ that they take
/// more than half of the memory; "" if they fit, or if the schema has no number of records.
std::string why_rows_may_not_fit(const Schema& schema, const ColumnSets& sets);

/// Rows of codes as records: cells that are read as what the codes stand for, and the column of
/// counts (data/schema/count_column.h) behind them.
class CodeReader : public RecordReader {
 public:
  /// The engine has no such row: it has those that were counted.
  std::string place() const override { return ""; }

 protected:
  /// `schema` outlives this.
  CodeReader(std::string name, const Schema& schema, std::vector<ColumnCoding> codings,
             int64_t num_units);

  const std::vector<ColumnCoding>& codings() const { return codings_; }

  /// Makes the record of a row, of (codings().size()) codes.
  void show(std::span<const int32_t> codes, int64_t count);

 private:
  std::vector<ColumnCoding> codings_;
  std::vector<std::string> texts_;  ///< of the record, where decimals have a comma
  std::string count_;
};

/// A counted table as records, in the order of codes.
class CountedReader : public CodeReader {
 public:
  CountedReader(std::string name, const Schema& schema, std::vector<ColumnCoding> codings,
                CountedTable table);

  bool next() override;

 private:
  CountedTable table_;
};

/// Counts the engine's table and reads the result. Errors: those of count_by_engine.
std::unique_ptr<RecordReader> read_engine(Engine& engine, const Schema& schema,
                                          const EngineOptions& options = {});

/// The same rows in the order in which the engine gives them, each different one once; none is
/// kept. `engine` and `schema` outlive the reader. Pre: no sets. Errors, also while it is read:
/// those of count_by_engine.
std::unique_ptr<RecordReader> stream_engine(Engine& engine, const Schema& schema,
                                            const EngineOptions& options = {});

}  // namespace equinoise
