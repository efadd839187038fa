// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/engine_table.h"
#include "equinoise/data/formats/input_file.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

class RecordReader;
class UnitIds;

/// What a table must hold to be read with a schema.
enum class TableUse {
  /// The table that the schema describes: exactly its columns and its number of records, or of
  /// units where it has a column of these.
  kDescribed,
  /// Another table of the same form: all its columns but ignored ones, any number of records. Other
  /// columns may be there.
  kOther,
  /// The same with the column of units, if the schema has one, where how many records there are is
  /// private: there may be none.
  kPrivateSize,
  /// Records to predict for: the feature columns, any number of records. Other columns may be
  /// there.
  kFeaturesOnly,
};

/// What is made of the rows of a counted table.
enum class CountedRows {
  kExpanded,  ///< as many rows as they stand for, one after another
  kKept,      ///< Dataset::row_counts, for whoever looks at these
};

/// Reads a table: records in memory, or a file (CSV, ARFF, JSON, Parquet; all but Parquet also
/// packed by gzip, zip or zstd; recognised by its beginning).
///
/// The columns may be in any order; their names must be those of the schema. Without a header there
/// must be as many columns as in the schema, in its order. How a CSV file is laid out is what the
/// schema says; the separator, where it does not, is that of the header line: no record decides how
/// others are read. A column without a name is not read, neither is an ignored one, which may hold
/// anything, but that of units.
///
/// Where the schema has a column of units, with kDescribed and kPrivateSize, the dataset has of
/// each unit the rows that count, sorted (data/units.h). Its cells are compared as they are
/// written, without the blanks around them: 1 and 1.0 are two units. A row with a missing one is
/// nobody's and left out. With other uses each row is a unit.
///
/// A table with a count column (count_column.h) is a counted one: it is read as the table in which
/// each of its rows stands so often, one of count 0 never, and what is said of records, their
/// number and their cells is of that table. No ignored column need be there, that of units among
/// them: counted rows of units say only how many units they are of, so that they cannot be
/// expanded.
///
/// Where the schema has `public_bins`, a number becomes what stands for its bin (public_bins.h),
/// after it is brought within the bounds; a number of a whole column that is not whole is then
/// malformed.
///
/// A null is a missing cell. A cell that is neither a mark of missing values, nor a number, nor a
/// listed category is compared once more without the blanks around it and, if all categories are
/// numbers, as a number: 1.0 is 1, but neither of two that are listed, nor where doubles do not
/// tell numbers apart (distinct_number()). Marks of missing values that are numbers are compared
/// likewise. If the categories are true and false in one spelling, all others are read, too
/// (parse_truth.h), and 1 and 0 as numbers, so that 1.0 is true. Rules for values, none of which
/// throws: a number outside the bounds (or infinite) is clamped; an unlisted category, a missing
/// cell and a malformed number follow the column's policy; each is counted. A record with a dropped
/// cell contributes nothing. A column that `use` allows to be absent and is absent is not part of
/// the dataset.
///
/// Errors (kInput), each naming the file and, where there is one, row, line and column but never a
/// value: those of the format's reader; missing / unexpected / duplicate column; a cell of a
/// numeric column that is not a number (NaN included), where `malformed` is kStop; no rows, but
/// with kPrivateSize; with kDescribed a number of rows, or units, other than the schema's public
/// one; a count that is none, more than kMaxRecords of them together, a table that was counted by
/// another schema, and counted rows that cannot be expanded, as they are of units or take more than
/// half of the machine's memory.
Dataset read_table(const TableSource& table, const Schema& schema,
                   TableUse use = TableUse::kDescribed,
                   CountedRows counted = CountedRows::kExpanded, const EngineOptions& engine = {});

/// Opens a table as its schema says that it is laid out; the header shows the separator if that
/// does not. An engine counts its table first. `schema` outlives what is opened. Errors: those of
/// open_table, and a separator other than that of the header; of an engine those of EngineSession.
std::unique_ptr<RecordReader> open_described(const TableSource& table, const Schema& schema,
                                             const EngineOptions& engine = {});

/// The same of a file that is open.
std::unique_ptr<RecordReader> open_described(InputFile file, const Schema& schema);

/// What is asked of a table that is read in blocks.
struct BlockOptions {
  /// Columns whose cells are kept as they are written, by name; a null is "".
  std::vector<std::string> kept = {};
  /// A missing cell, one that is no number and a category that is not listed are errors, whatever
  /// the rules of the schema say. They name row, line and column.
  bool is_strict = false;
  /// A counted table is read as counted rows; else it is an error, since these are no records one
  /// by one.
  bool takes_counts = false;
};

/// Reads a table block by block by the rules of read_table, so that memory does not grow with it.
class TableBlocks {
 public:
  /// Errors: those of read_table about the header; kInput for a kept column that is not there.
  TableBlocks(RecordReader& records, const Schema& schema, TableUse use, BlockOptions options = {});
  ~TableBlocks();
  TableBlocks(const TableBlocks&) = delete;
  TableBlocks& operator=(const TableBlocks&) = delete;

  /// The next records, at most so many; none at the end. Its counts and num_dropped are those of
  /// all records so far. Errors: those of read_table about records.
  Dataset next(int64_t max_records);

  /// (num_records, num_kept) the kept cells of the last block.
  const std::vector<std::string>& kept() const;

  /// Whether the table is a counted one.
  bool is_counted() const;

  /// What read_table does when it has read all records: of each unit the rows that count, the
  /// checks of how many there are. `all`: what next() gave, all at once; or, where is_summable(),
  /// its totals alone: num_records, num_counted_units. Errors: those of read_table.
  void finish(CountedRows counted, Dataset& all) const;

  /// Whether blocks can be looked at one by one: not where rows of a unit may be in several.
  bool is_summable() const;

  /// Whose all records so far are; without rows where that is not read. Blocks hold all of them.
  const UnitIds& units() const;

 private:
  class Sinks;
  std::unique_ptr<Sinks> sinks_;
};

/// Refuses a table that is read without a header and whose first record is the names of the
/// columns. Only for checks by whoever holds the table: no private run may depend on one record.
void refuse_header_as_record(const TableSource& table, const Schema& schema);

/// Whether a table names, as its schema says that it is laid out, all columns that are not ignored;
/// without a header, whether it has as many columns and does not begin with their names.
bool header_fits(const TableSource& table, const Schema& schema);

/// The same for all records of a reader.
Dataset read_records(RecordReader& records, const Schema& schema, TableUse use,
                     CountedRows counted = CountedRows::kExpanded);

}  // namespace equinoise
