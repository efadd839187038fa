// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "equinoise/data/engine/column_coding.h"
#include "equinoise/data/engine/engine.h"
#include "equinoise/data/engine/engine_options.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Rows with equal codes, and how many these are.
struct CountedCodes {
  size_t num_columns = 0;
  std::vector<int32_t> codes;   ///< (num_rows, num_columns) in ascending order
  std::vector<int64_t> counts;  ///< (num_rows)

  size_t num_rows() const { return counts.size(); }

  /// Puts the rows into the order of their codes.
  void sort();
};

/// What a table is counted as. Sensitive, also the number of its distinct rows.
struct CountedTable {
  CountedCodes rows;
  int64_t num_units = 0;  ///< where the schema has a column of units, how many there are
};

/// Has an engine count its table by the schema. `codings`: those of the schema. `interrupted`: see
/// EngineOptions. Errors: those of count_query and of the engine; kRuntime for what no count can
/// be, and if interrupted.
CountedTable count_by_engine(Engine& engine, const Schema& schema,
                             const std::vector<ColumnCoding>& codings,
                             const std::function<bool()>& interrupted = {});

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
  template <typename Code>
  void show(std::span<const Code> codes, int64_t count);

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

/// The same rows in the order in which the engine gives them, none of which is kept. `engine` and
/// `schema` outlive the reader. Errors, also while it is read: those of count_by_engine.
std::unique_ptr<RecordReader> stream_engine(Engine& engine, const Schema& schema,
                                            const EngineOptions& options = {});

}  // namespace equinoise
