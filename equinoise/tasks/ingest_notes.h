#pragma once

#include <string>
#include <vector>

#include "equinoise/data/dataset.h"

namespace equinoise {

/// What the schema's rules did to the records, a line for each column and kind. NOT PRIVATE.
std::vector<std::string> ingest_notes(const Dataset& dataset);

}  // namespace equinoise
