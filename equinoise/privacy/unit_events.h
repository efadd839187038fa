// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// Turns `events`, planned for neighbours that differ in one row, into their cost for neighbours
/// that differ in up to `rows` rows of one unit: one Event::rows_of_unit of all of them. Returns
/// the list itself if a unit has one row or nothing is released. Errors: kUsage if `rows` < 1.
inline std::vector<Event> for_unit(int64_t rows, std::vector<Event> events) {
  if (rows == 1 || events.empty()) return events;
  // A list with one list stays such a list when it is unfolded again.
  const bool is_one = events.size() == 1 && events[0].kind() != Event::Kind::kComposed;
  return {Event::rows_of_unit(rows,
                              is_one ? std::move(events[0]) : Event::composed(std::move(events)))};
}

/// The events that a charge of `events` draws, which are always events of rows: the list without
/// the rows_of_unit at its top. So of_rows(for_unit(k, events)) is `events`.
inline std::vector<Event> of_rows(std::vector<Event> events) {
  const bool is_one = events.size() == 1;
  for (Event& event : events) {
    if (event.kind() != Event::Kind::kRowsOfUnit) continue;
    Event drawn = event.events()[0];
    if (is_one && drawn.kind() == Event::Kind::kComposed) return drawn.events();
    event = std::move(drawn);
  }
  return events;
}

/// The ratio of a unit's rho to that of a row, where at most `rows` rows of a unit are used.
inline double rho_factor(int64_t rows) {
  return static_cast<double>(rows) * static_cast<double>(rows);
}

}  // namespace equinoise
