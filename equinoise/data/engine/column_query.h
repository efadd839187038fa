// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/engine/column_coding.h"
#include "equinoise/data/engine/dialect.h"
#include "equinoise/data/engine/engine.h"
#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The part of a statement that makes codes of the values of one column.
struct ColumnQuery {
  std::vector<std::string> values;  ///< what is taken of each row: "age" AS x0
  std::string code;                 ///< the code of such values: CASE ... END, in several lines
};

/// Values are only compared, with literals that follow from the schema: whole and decimal numbers
/// with those of their own kind, exactly from where they would be read as the edge of a bin; others
/// in their precision; texts byte by byte, without the blanks around them; dates and times as in
/// ISO 8601, moments in UTC. Codes are what CellCoder gives of the texts that the values have in
/// tables, but for two kinds: texts are compared as texts where a table's would be read as numbers
/// (1.0 is not the category 1), and NaN is a missing cell in DuckDB, as in Parquet files, elsewhere
/// no number. Bins are found in so many comparisons as the logarithm of their number.
///
/// `number`: of the column in the statement. `is_settled`: codes are ColumnCoding::settled(), of a
/// column that nobody uses, too; else all of its values have the code 0.
///
/// Errors: kInput for a type that has no such values, which says what to do.
ColumnQuery column_query(Dialect dialect, const Schema& schema, const ColumnCoding& coding,
                         const EngineColumn& column, size_t number, bool is_settled);

}  // namespace equinoise
