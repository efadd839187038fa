// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/data/encoder.h"

namespace equinoise {

/// |(x, 1)|^2 of a record: the squares are exact, the sum has num_dense roundings.
inline double squared_input_norm(const EncodedTable& table, int64_t record) {
  double squared = 1 + table.num_active;
  for (float value : table.dense_row(record))
    squared += static_cast<double>(value) * static_cast<double>(value);
  return squared;
}

}  // namespace equinoise
