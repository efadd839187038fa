// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/engines/dialect.h"
#include "equinoise/engines/engine.h"

namespace equinoise {

/// What a statement gives for a column.
enum class ValueForm {
  kCode,
  kDouble,  ///< its numbers, of double precision, of which ColumnCoding::code_of() makes codes
  kSingle,  ///< the same of a column of single precision, whose shortest texts are what is read
};

/// The part of a statement that makes codes of the values of one column.
struct ColumnQuery {
  ValueForm form = ValueForm::kCode;
  std::vector<std::string> values;  ///< what is taken of each row: "age" AS x0
  std::string code;                 ///< the code of such values: CASE ... END, in several lines
};

/// Values are only compared, with literals that follow from the schema: whole and decimal numbers
/// with those of their own kind, exactly from where they would be read as the edge of a bin; others
/// in their precision; texts byte by byte, without the blanks around them; dates and times as in
/// ISO 8601, moments in UTC. Codes are what CellCoder gives of the texts that the values have in
/// tables, but for two kinds: texts are compared as texts where a table's would be read as numbers
/// (1.0 is not the category 1), and NaN is a missing cell in DuckDB, as in Parquet files, elsewhere
/// no number. Bins are found in so many comparisons as the logarithm of their number, unless
/// `numbers_are_coded_here`: then those that double precision holds are taken as they are.
///
/// `number`: of the column in the statement. `is_settled`: codes are ColumnCoding::settled(), of a
/// column that nobody uses, too; else all of its values have the code 0.
///
/// Errors: kInput for a type that has no such values, which says what to do.
ColumnQuery column_query(Dialect dialect, const Schema& schema, const ColumnCoding& coding,
                         const EngineColumn& column, size_t number, bool is_settled,
                         bool numbers_are_coded_here = false);

}  // namespace equinoise
