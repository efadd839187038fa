// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "equinoise/data/dataset.h"

namespace equinoise {

/// What the schema's rules did to the records, a line for each column and kind. NOT PRIVATE.
std::vector<std::string> ingest_notes(const Dataset& dataset);

/// The same of cells alone, where a record counts by column whatever the rules for others say.
std::vector<std::string> ingest_notes(std::span<const ColumnIngestCounts> columns);

}  // namespace equinoise
