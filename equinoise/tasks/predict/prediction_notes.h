// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "equinoise/data/encoder.h"
#include "equinoise/models/model.h"
#include "equinoise/report/format.h"

namespace equinoise {

/// Adds the number of contributing records without a prediction by `whose`, "the model", and the
/// number of predictions that were set to a bound of the target; nothing if there are none. NOT
/// PRIVATE.
inline void add_prediction_notes(const EncodedTable& table, const Predictions& predictions,
                                 std::string_view whose, std::vector<std::string>& notes) {
  int64_t num_judged = 0;
  int64_t num_unpredicted = 0;
  for (size_t i = 0; i < table.contributes.size(); ++i) {
    if (table.contributes[i] == 0) continue;
    ++num_judged;
    num_unpredicted += predictions.has_prediction(i) ? 0 : 1;
  }
  if (num_unpredicted > 0) {
    notes.push_back(
        fmt::format("{} of {} records have no prediction because the output of {} is not finite "
                    "(did its training diverge?); the figures of their groups are undefined",
                    format_count(num_unpredicted), format_count(num_judged), whose));
  }
  if (predictions.num_clamped > 0) {
    notes.push_back(
        fmt::format("{} of {} predictions of {} lay beyond the bounds of the target, {:g} to {:g}, "
                    "and count as the nearer bound",
                    format_count(predictions.num_clamped), format_count(num_judged), whose,
                    table.target_lower, table.target_upper));
  }
}

}  // namespace equinoise
