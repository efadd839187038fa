// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "equinoise/data/codes/code_counter.h"
#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/formats/record_reader.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The counted form of a table, in the order of codes. Sensitive, also the number of its distinct
/// rows.
struct CountedTable {
  CountedCodes rows;
  int64_t num_units = 0;  ///< where the schema has a column of units, how many there are
};

/// Rows of codes as records: cells that are read as what the codes stand for, and the column of
/// counts (data/schema/count_column.h) behind them.
class CodeReader : public RecordReader {
 public:
  /// The table has no such row: it has those that were counted.
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
  std::vector<std::vector<Cell>> cells_of_codes_;  ///< of each column, from kAside on
  std::deque<std::string> texts_;                  ///< of numbers whose decimals have a comma
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

}  // namespace equinoise
