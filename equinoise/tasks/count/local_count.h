// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equinoise/base/progress.h"
#include "equinoise/data/codes/column_coding.h"
#include "equinoise/data/codes/counted_reader.h"
#include "equinoise/data/schema/schema.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

/// Counts a table that is read here, with the result of an engine (data/engine_table.h). `codings`:
/// those of the schema. Errors: those of open_described and of its reader; kUsage for a counted
/// table; kRuntime if interrupted.
CountedTable count_here(const TableSource& table, const Schema& schema,
                        const std::vector<ColumnCoding>& codings, TaskProgress& progress);

}  // namespace equinoise
