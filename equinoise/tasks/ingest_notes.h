#pragma once

#include <string>
#include <vector>

#include "equinoise/data/dataset.h"
#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// What the schema's rules did to the records, a line for each column and kind. NOT PRIVATE.
std::vector<std::string> ingest_notes(const Dataset& dataset);

/// How many of the records that contribute have a prediction that is not finite, or "" if none has.
/// NOT PRIVATE.
std::string unpredicted_note(const EncodedTable& table, const Predictions& predictions);

}  // namespace equinoise
