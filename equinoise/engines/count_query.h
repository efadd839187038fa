// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/engines/column_query.h"
#include "equinoise/engines/dialect.h"
#include "equinoise/engines/engine.h"

namespace equinoise {

/// The statements by which an engine counts a table.
struct EngineQuery {
  /// Gives a row of (num_columns + 1) whole numbers for each combination of codes that occurs: the
  /// codes of the columns, in the order of the codings, and how many rows have them. All values of
  /// a column that nobody uses have one code, so that it makes few rows more. Where the
  /// schema has a column of units the codes are settled, and of each unit those rows are counted
  /// that the rule of data/units.h keeps.
  std::string rows;
  /// Gives one number: how many units there are. "" where each row is a unit.
  std::string units;
  std::vector<ValueForm> forms;  ///< of the codings' columns in `rows`
};

/// How a statement counts.
struct CountForm {
  /// Sets of columns that are counted together, by their places among the codings: a row has
  /// kAside for columns of other sets. Empty: all columns in one set.
  std::vector<std::vector<size_t>> sets = {};
  /// See column_query(). Where a column is given as numbers, rows are not counted: each is one.
  bool numbers_are_coded_here = false;
};

/// Errors: kInput for a column that the table does not have, of a type that has no such values, or
/// of counts; the message says what to do.
EngineQuery count_query(Dialect dialect, const Schema& schema,
                        std::span<const ColumnCoding> codings,
                        const std::vector<EngineColumn>& columns, const std::string& quoted_table,
                        const CountForm& form = {});

/// The columns of a table as its schema says that they are, for statements that are made without an
/// engine: text, numbers of double precision or whole ones, dates, times.
std::vector<EngineColumn> columns_of_schema(const Schema& schema);

}  // namespace equinoise
