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
  std::string unit = {};         ///< whose rows they are: "row" or a column; "": see may_be_unit
  size_t max_categories = 1000;  ///< texts with more distinct values are ignored
  /// Groupings whose sizes are counted and declared, each by its columns.
  std::vector<std::vector<std::string>> groupings = {};
  TableOptions table = {};  ///< how the table is read; what is left open is recognised
};

struct SchemaDraft {
  std::string text;                ///< the schema, in TOML
  std::vector<std::string> notes;  ///< how the table was read and what was left out; also in `text`
};

/// A schema for a table without one, marked `reviewed = false`. NOT PRIVATE: bounds, values, means,
/// the number of records and how a CSV file is laid out are learnt from the records.
///
/// Reads the table once; memory is bounded by the number of columns and `max_categories`. Numbers
/// with more than 20 distinct values become numeric with outward rounded bounds and the rounded
/// mean and standard deviation as scale, also where a few words stand among them, which become the
/// column's marks of missing values; dates and times likewise, with bounds of whole months or
/// years, if there are five or more and they differ; other columns with at most `max_categories`
/// distinct values become categorical, numbers with leading zeros among them; what has one value,
/// identifies records, is free text or has no text is ignored. In a table of 20 records or more no
/// text that occurs once is copied: it is "other", and its record is dropped where that is a value
/// already or the column the target. Where a column may be an identifier that repeats, the unit is
/// left open, unless options.unit says it: a column is then ignored and its values counted. A
/// column without a name is left out, an index in front or an empty one at the end. A comment for
/// each column says what was seen. The draft parses, and read_table accepts the table with it.
///
/// Errors: those of the table's reader and of delimiter_of_lines; kInput for a header that looks
/// like a record (unless options.table.has_header) or occurs again, a column without a name amid
/// others, no rows, no column that can be used; kUsage for an unknown target, a target that would
/// be ignored, an unknown unit, groupings beside a column as unit, a bad dataset name, or
/// max_categories outside 20 .. 65,000.
SchemaDraft draft_schema(const TableSource& table, const DraftOptions& options);

/// The columns of a table with a schema, ignored ones among them, that may be identifiers and occur
/// in several rows. NOT PRIVATE. Errors: those of the table's reader.
std::vector<std::string> repeating_identifiers(const TableSource& table, const Schema& schema);

}  // namespace equinoise
