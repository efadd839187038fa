// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"

namespace equinoise {

/// Adds the number of contributing records without a prediction by `whose`, "the model", and the
/// number of predictions that were set to a bound of the target; nothing if there are none. NOT
/// PRIVATE.
void add_prediction_notes(const EncodedTable& table, const Predictions& predictions,
                          std::string_view whose, std::vector<std::string>& notes);

}  // namespace equinoise
