// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "equinoise/data/table_layout.h"

namespace equinoise {

/// Throws a usage error that names the table if options on the layout of a text do nothing for it:
/// JSON and Parquet say everything themselves, ARFF all but its encoding. Says nothing about a file
/// that no reader takes.
void refuse_unused_layout(const std::filesystem::path& table, const TableOptions& options);

}  // namespace equinoise
