// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/data/schema/table_layout.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

/// Throws a usage error that names the table if options on the layout of a text have no effect on
/// it: JSON, Parquet and records in memory define theirs, ARFF all but its encoding. Accepts a file
/// that no reader takes.
void refuse_unused_layout(const TableSource& table, const TableOptions& options);

}  // namespace equinoise
