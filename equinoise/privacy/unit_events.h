// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// `events`, planned for neighbours that differ in one row, as what they are where neighbours
/// differ in up to `rows` rows of one unit: one Event::rows_of_unit of all of them, or the list
/// itself where a unit has one row or nothing is released. Errors: kUsage if `rows` < 1.
std::vector<Event> for_unit(int64_t rows, std::vector<Event> events);

/// What a charge of `events` draws, which are always events of rows: the list without the
/// rows_of_unit at its top, so that of_rows(for_unit(k, events)) is `events`.
std::vector<Event> of_rows(std::vector<Event> events);

}  // namespace equinoise
