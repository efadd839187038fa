// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/engines/dialect.h"
#include "equinoise/engines/engine.h"

namespace equinoise {

/// The form of a column's values in the result of a statement.
enum class ValueForm {
  kCode,
  kDouble,  ///< numbers of double precision, coded by ColumnCoding::code_of()
  kSingle,  ///< the same for single precision, read by their shortest texts
};

/// The part of a statement that turns the values of one column into codes.
struct ColumnQuery {
  ValueForm form = ValueForm::kCode;
  std::vector<std::string> values;  ///< expressions selected in each row: "age" AS x0
  std::string code;                 ///< the code of such values: CASE ... END, in several lines
};

/// Statements only compare values, with literals that follow from the schema:
/// - Whole and decimal numbers are compared with numbers of their own kind. The literal is exactly
///   the threshold from which on they would be read as the edge of a bin.
/// - Other numbers are compared in their own precision.
/// - Texts are compared byte by byte, without the blanks around them.
/// - Dates and times are compared as in ISO 8601, moments in UTC.
///
/// Codes are those that CellCoder gives for the texts of the values in tables, with two exceptions.
/// Texts are compared as texts even if a table's would be read as numbers (1.0 is not the category
/// 1). NaN is a missing cell in DuckDB, as in Parquet files, and elsewhere no number.
///
/// A bin is found by a binary search. With `numbers_are_coded_here`, numbers that double precision
/// holds are returned as they are, without a search.
///
/// `number`: of the column in the statement. `is_settled`: codes are ColumnCoding::settled(), also
/// for a column that is not used; otherwise all values of such a column have the code 0.
///
/// Errors: kInput, with a remedy, for a type that has no such values.
ColumnQuery column_query(Dialect dialect, const Schema& schema, const ColumnCoding& coding,
                         const EngineColumn& column, size_t number, bool is_settled,
                         bool numbers_are_coded_here = false);

}  // namespace equinoise
