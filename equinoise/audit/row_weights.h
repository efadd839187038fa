// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "equinoise/data/encoder.h"

namespace equinoise {

struct RowWeight {
  double own = 1;
  double of_unit = 1;  ///< of all rows of its unit together, or of the row if each is a unit
  std::optional<size_t> unit = {};  ///< if units have several rows
};

/// The weights of the rows of a table, to be requested in ascending order. Refers to the table.
class RowWeights {
 public:
  explicit RowWeights(const EncodedTable& table) : table_(table) {}

  RowWeight of(size_t row) {
    const double own = table_.weight(row);
    if (table_.unit_begin.empty()) return {own, own};
    while (!unit_ || row >= table_.unit_begin[*unit_ + 1]) {
      unit_ = unit_ ? *unit_ + 1 : 0;
      of_unit_ = 0;
      for (size_t i = table_.unit_begin[*unit_]; i < table_.unit_begin[*unit_ + 1]; ++i)
        if (table_.contributes[i] != 0) of_unit_ += table_.weight(i);
    }
    return {own, of_unit_, unit_};
  }

 private:
  const EncodedTable& table_;
  std::optional<size_t> unit_;
  double of_unit_ = 0;
};

}  // namespace equinoise
