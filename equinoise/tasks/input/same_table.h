// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/data/table_source.h"

namespace equinoise {

/// Whether two sources give rows of one table, by whatever names: one file, one table of a
/// database, or a folder and its files. False for a view or a copy of the other table, which cannot
/// be recognised, and for records in memory. Errors: those of EngineTable::is_same.
bool is_same_table(const TableSource& a, const TableSource& b);

}  // namespace equinoise
