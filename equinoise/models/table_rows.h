// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "equinoise/data/encoder.h"

namespace equinoise {

/// Records of a table, in this order.
struct TableRows {
  const EncodedTable& table;
  std::span<const uint32_t> records;

  size_t size() const { return records.size(); }
};

}  // namespace equinoise
