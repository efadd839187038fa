#pragma once

#include <string>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// How many of the records that contribute have a prediction that is not finite, or "" if none has.
/// NOT PRIVATE.
std::string unpredicted_note(const EncodedTable& table, const Predictions& predictions);

}  // namespace equinoise
