// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// Turns `events`, planned for neighbours that differ in one row, into their cost for neighbours
/// that differ in up to `rows` rows of one unit: one Event::rows_of_unit of all of them. Returns
/// the list itself if a unit has one row or nothing is released. Errors: kUsage if `rows` < 1.
std::vector<Event> for_unit(int64_t rows, std::vector<Event> events);

/// The events that a charge of `events` draws, which are always events of rows: the list without
/// the rows_of_unit at its top. So of_rows(for_unit(k, events)) is `events`.
std::vector<Event> of_rows(std::vector<Event> events);

}  // namespace equinoise
