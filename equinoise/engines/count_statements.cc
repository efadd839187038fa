// SPDX-License-Identifier: Apache-2.0
#include "equinoise/engines/count_statements.h"

#include <memory>

#include "equinoise/data/codes/column_coding.h"
#include "equinoise/engines/count_query.h"

namespace equinoise {

namespace {

CountStatements statements_of(Dialect dialect, const Schema& schema,
                              const std::vector<EngineColumn>& columns,
                              const std::string& quoted_table) {
  const EngineQuery query =
      count_query(dialect, schema, column_codings(schema), columns, quoted_table);
  if (query.units.empty()) return {dialect, {query.rows}};
  return {dialect, {query.units, query.rows}};
}

}  // namespace

CountStatements count_statements(const Schema& schema, const EngineUrl& url) {
  const std::unique_ptr<Engine> engine = open_engine(url);
  return statements_of(engine->dialect(), schema, engine->columns(), engine->table());
}

CountStatements count_statements(const Schema& schema, Dialect dialect, const std::string& table) {
  return statements_of(dialect, schema, columns_of_schema(schema),
                       quoted_table(dialect, parts_of_table(table)));
}

}  // namespace equinoise
