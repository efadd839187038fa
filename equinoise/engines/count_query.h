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
#include "equinoise/engines/engine_url.h"

namespace equinoise {

/// The statements by which an engine counts a table.
struct EngineQuery {
  /// Gives a row of (num_columns + 1) whole numbers for each combination of codes that occurs: the
  /// codes of the columns, in the order of the codings, and the number of rows that have them. All
  /// values of an unused column have one code, so that it adds few rows. If the schema has a column
  /// of units, codes are settled. The rows of each unit that the rule of data/units.h keeps are
  /// counted, and those that end the run.
  std::string rows;
  /// Gives one number: the number of units. "" if each row is a unit.
  std::string units;
  std::vector<ValueForm> forms;  ///< of the codings' columns in `rows`
};

/// The way in which a statement counts.
struct CountForm {
  /// Sets of columns that are counted together, by their places among the codings. A row has kAside
  /// for columns of other sets. Empty: all columns in one set.
  std::vector<std::vector<size_t>> sets = {};
  /// See column_query(). If a column is given as numbers, rows are not counted: each has count 1.
  bool numbers_are_coded_here = false;
};

/// Errors: kInput, with a remedy, for a column that the table does not have, a column of a type
/// without such values, or a column of counts.
EngineQuery count_query(Dialect dialect, const Schema& schema,
                        std::span<const ColumnCoding> codings,
                        const std::vector<EngineColumn>& columns, const std::string& quoted_table,
                        const CountForm& form = {});

/// The columns of a table, with types that follow from its schema, for statements made without an
/// engine: text, whole numbers or numbers of double precision, dates, times.
std::vector<EngineColumn> columns_of_schema(const Schema& schema);

/// The statements that count a table, and their SQL dialect.
struct CountStatements {
  Dialect dialect = Dialect::kPostgres;
  std::vector<std::string> texts;
};

/// The statements for an engine, which is only queried for the types of the columns. Errors: those
/// of open_engine and count_query.
CountStatements count_statements(const Schema& schema, const EngineUrl& url);

/// The statements without an engine, for columns of the types in the schema. Errors: those of
/// parts_of_table and count_query.
CountStatements count_statements(const Schema& schema, Dialect dialect, const std::string& table);

}  // namespace equinoise
