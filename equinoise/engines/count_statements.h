// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/engines/dialect.h"
#include "equinoise/engines/engine_url.h"

namespace equinoise {

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
