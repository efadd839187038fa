// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/data/schema/table_layout.h"
#include "equinoise/data/table_source.h"

namespace equinoise {

/// Throws a usage error that names the table if options on the layout of a text do nothing for it:
/// JSON, Parquet and records in memory say everything themselves, ARFF all but its encoding. Says
/// nothing about a file that no reader takes.
void refuse_unused_layout(const TableSource& table, const TableOptions& options);

}  // namespace equinoise
