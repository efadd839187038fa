// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "equinoise/data/schema/schema.h"
#include "equinoise/privacy/unit_events.h"

namespace equinoise {

/// The ratio of a unit's rho to that of a row: the square of the most rows of a unit that are used.
inline double rho_factor(const Schema& schema) {
  const auto rows = static_cast<double>(schema.max_records_per_unit);
  return rows * rows;
}

/// The cost to a unit of draws from rows, of which several may have changed.
inline std::vector<Event> charged_to_unit(const Schema& schema, std::vector<Event> events) {
  return for_unit(schema.max_records_per_unit, std::move(events));
}

}  // namespace equinoise
