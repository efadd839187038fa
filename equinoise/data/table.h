// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/engine_table.h"
#include "equinoise/data/open_table.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

class RecordReader;

/// The required content of a table that is read with a schema.
enum class TableUse {
  /// The table that the schema describes: exactly its columns and its number of records, or of
  /// units if it has a column of these.
  kDescribed,
  /// Another table of the same form: all its columns except ignored ones, any number of records.
  /// Further columns are allowed.
  kOther,
  /// The same as kOther, with the column of units if the schema has one. The number of records is
  /// private and may be 0.
  kPrivateSize,
  /// Records to predict for: the feature columns, any number of records. Further columns are
  /// allowed.
  kFeaturesOnly,
};

/// The form of the rows of a counted table.
enum class CountedRows {
  kExpanded,  ///< one row for each record that they represent, one after another
  kKept,      ///< rows with Dataset::row_counts, for code that uses these
};

/// Reads a table: records in memory, or a file (CSV, ARFF, JSON, Parquet; all but Parquet also
/// packed by gzip, zip or zstd; recognised by its beginning).
///
/// Columns may be in any order; their names must be those of the schema. Without a header there
/// must be as many columns as in the schema, in its order. The schema gives the layout of a CSV
/// file. If it gives no separator, that of the header line is used, so that no record decides how
/// others are read. A column without a name is not read. An ignored column, which may hold
/// anything, is not read either, except that of units.
///
/// If the schema has a column of units, with kDescribed and kPrivateSize the dataset has the rows
/// of each unit that count, sorted (data/units.h). Cells of that column are compared as they are
/// written, without the blanks around them: 1 and 1.0 are two units. A row with a missing one has
/// no unit and is left out. With other uses each row is a unit.
///
/// A table with a count column (count_column.h) is a counted one. It is read as the table in which
/// each of its rows is repeated by its count; a row of count 0 is absent. Statements on records,
/// their number and their cells refer to that table. Ignored columns may be absent, including that
/// of units. Counted rows of units give only the number of units, so that they cannot be expanded.
///
/// If the schema has `public_bins`, a number is clamped to the bounds and becomes the number that
/// represents its bin (public_bins.h). A number of a whole column that is not whole is then
/// malformed.
///
/// A null is a missing cell. A cell that is neither a mark of missing values, nor a number, nor a
/// listed category is compared once more without the blanks around it. If all categories are
/// numbers, it is then also compared as a number: 1.0 is 1. This does not hold for a number that
/// two listed categories have, nor if doubles do not distinguish it (distinct_number()). Marks of
/// missing values that are numbers are compared likewise. If the categories are true and false in
/// one spelling, all other spellings are read as well (parse_truth.h). Then 1 and 0 are also
/// compared as numbers, so that 1.0 is true.
///
/// Rules for values, of which only MalformedPolicy::kStop throws: a number outside the bounds (or
/// infinite) is clamped; an unlisted category, a missing cell and a malformed number follow the
/// column's policy; each is counted. A record with a dropped cell contributes nothing. A column
/// that `use` allows to be absent and is absent is not part of the dataset.
///
/// Errors (kInput) name the file and, if there is one, row, line and column, but never a value:
/// - those of the format's reader;
/// - a missing, unexpected or duplicate column;
/// - a cell of a numeric column that is not a number (NaN included), if `malformed` is kStop;
/// - no rows, except with kPrivateSize;
/// - with kDescribed a number of rows, or units, other than the schema's public one;
/// - in a counted table: an invalid count, counts above kMaxRecords in total, or a table that was
///   counted by another schema;
/// - counted rows that cannot be expanded: of units, or larger than half of the machine's memory.
Dataset read_table(const TableSource& table, const Schema& schema,
                   TableUse use = TableUse::kDescribed,
                   CountedRows counted = CountedRows::kExpanded, const EngineOptions& engine = {});

/// Opens a table in its schema's layout; if that has no separator, the header shows it. An engine
/// counts its table first, and meanwhile interruptions are held. `schema` outlives the reader.
/// Errors: those of open_table, and a separator other than that of the header; for an engine those
/// of EngineSession and stop_if_interrupted().
std::unique_ptr<RecordReader> open_described(const TableSource& table, const Schema& schema,
                                             const EngineOptions& engine = {});

/// The same for a table that was recognised with the schema's layout.
std::unique_ptr<RecordReader> open_described(TableStart start, const Schema& schema);

/// Options for a table that is read in blocks.
struct BlockOptions {
  /// Columns whose cells are kept as they are written, by name; a null is "".
  std::vector<std::string> kept = {};
  /// Makes a missing cell, one that is no number and a category that is not listed errors, whatever
  /// the rules of the schema. They name row, line and column.
  bool is_strict = false;
  /// Reads a counted table as counted rows. Otherwise it is an error, since its rows are not single
  /// records.
  bool takes_counts = false;
};

/// Reads a table block by block by the rules of read_table, so that memory does not grow with it.
class TableBlocks {
 public:
  /// Errors: those of read_table about the header; kInput for a kept column that is absent.
  TableBlocks(RecordReader& records, const Schema& schema, TableUse use, BlockOptions options = {});
  ~TableBlocks();
  TableBlocks(const TableBlocks&) = delete;
  TableBlocks& operator=(const TableBlocks&) = delete;

  /// The next records, at most `max_records`; none at the end. Its counts and num_dropped are those
  /// of all records so far. Errors: those of read_table about records.
  Dataset next(int64_t max_records);

  /// (num_records, num_kept) the kept cells of the last block.
  const std::vector<std::string>& kept() const;

  /// Does the last steps of read_table: keeps the rows of each unit that count, and checks the
  /// numbers of rows and units. `all`: all results of next() in one dataset; or, if is_summable(),
  /// its totals alone: num_records, num_counted_units. Errors: those of read_table.
  void finish(CountedRows counted, Dataset& all) const;

  /// Whether blocks can be processed one by one. They cannot if rows of a unit may be in several.
  bool is_summable() const;

 private:
  class Sinks;
  std::unique_ptr<Sinks> sinks_;
};

/// Refuses a table that is read without a header and whose first record is the names of the
/// columns. Only for checks by the owner of the table: no private run may depend on one record.
void refuse_header_as_record(const TableSource& table, const Schema& schema);

/// Whether a table, in its schema's layout, names all columns that are not ignored. Without a
/// header: whether it has as many columns and does not begin with their names.
bool header_fits(const TableSource& table, const Schema& schema);

/// The same for all records of a reader.
Dataset read_records(RecordReader& records, const Schema& schema, TableUse use,
                     CountedRows counted = CountedRows::kExpanded);

}  // namespace equinoise
