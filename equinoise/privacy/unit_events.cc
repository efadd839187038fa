// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/unit_events.h"

#include <utility>

namespace equinoise {

std::vector<Event> for_unit(int64_t rows, std::vector<Event> events) {
  if (rows == 1 || events.empty()) return events;
  // A list with one list stays such a list when it is unfolded again.
  const bool is_one = events.size() == 1 && events[0].kind() != Event::Kind::kComposed;
  return {Event::rows_of_unit(rows,
                              is_one ? std::move(events[0]) : Event::composed(std::move(events)))};
}

std::vector<Event> of_rows(std::vector<Event> events) {
  const bool is_one = events.size() == 1;
  for (Event& event : events) {
    if (event.kind() != Event::Kind::kRowsOfUnit) continue;
    Event drawn = event.events()[0];
    if (is_one && drawn.kind() == Event::Kind::kComposed) return drawn.events();
    event = std::move(drawn);
  }
  return events;
}

}  // namespace equinoise
