// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/data/schema/table_layout.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

struct DraftOptions {
  std::string dataset = {};      ///< "": the name of the file
  std::string target = {};       ///< "": none
  std::string unit = {};         ///< the privacy unit: "row" or a column; "": see may_be_unit
  size_t max_categories = 1000;  ///< texts with more distinct values are ignored
  /// Groupings whose sizes are counted and declared, each by its columns.
  std::vector<std::vector<std::string>> groupings = {};
  TableOptions table = {};  ///< how the table is read; unset options are recognised
};

struct SchemaDraft {
  std::string text;                ///< the schema, in TOML
  std::vector<std::string> notes;  ///< how the table was read, omissions; also in `text`
};

/// A schema for a table without one, marked `reviewed = false`. NOT PRIVATE: bounds, values, means,
/// the number of records and the layout of a CSV file are learnt from the records.
///
/// Reads the table once; memory is bounded by the number of columns and `max_categories`. Columns
/// become:
/// - numeric, if they hold numbers with more than 20 distinct values. Bounds are rounded outward,
///   the scale is the rounded mean and standard deviation. A few words among the numbers are
///   allowed and become the column's marks of missing values.
/// - dates or times likewise, with bounds of whole months or years, if there are five or more and
///   they differ.
/// - categorical otherwise, if they have at most `max_categories` distinct values; also numbers
///   with leading zeros.
/// - ignored, if they have one value, identify records, are free text or have no text.
///
/// In a table of 20 records or more no text that occurs once is copied. It becomes "other"; its
/// record is dropped if "other" is a value already or the column is the target. If a column may be
/// an identifier that repeats, the unit is left open, unless options.unit gives it. A column as
/// unit is ignored and its values counted. A column without a name is left out if it is an index in
/// front or an empty one at the end. A comment for each column describes its cells. The draft
/// parses, and read_table accepts the table with it.
///
/// Errors:
/// - those of the table's reader and of delimiter_of_lines;
/// - kInput: a header that looks like a record (unless options.table.has_header) or occurs again, a
///   column without a name between others, no rows, no usable column;
/// - kUsage: an unknown target, a target that would be ignored, an unknown unit, groupings together
///   with a column as unit, a bad dataset name, max_categories outside 20 .. 65,000.
SchemaDraft draft_schema(const TableSource& table, const DraftOptions& options);

/// The columns of a table with a schema, including ignored ones, that may be identifiers and occur
/// in several rows. NOT PRIVATE. Errors: those of the table's reader.
std::vector<std::string> repeating_identifiers(const TableSource& table, const Schema& schema);

}  // namespace equinoise
