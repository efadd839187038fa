// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/engines/dialect.h"
#include "equinoise/engines/engine_url.h"

namespace equinoise {

/// The statements that count a table, and whose SQL they are.
struct CountStatements {
  Dialect dialect = Dialect::kPostgres;
  std::vector<std::string> texts;
};

/// Those for an engine, which is only asked for the types of the columns. Errors: those of
/// open_engine and count_query.
CountStatements count_statements(const Schema& schema, const EngineUrl& url);

/// Those without an engine, for columns of the types that the schema has. Errors: those of
/// parts_of_table and count_query.
CountStatements count_statements(const Schema& schema, Dialect dialect, const std::string& table);

}  // namespace equinoise
