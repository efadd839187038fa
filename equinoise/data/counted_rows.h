// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "equinoise/data/dataset.h"

namespace equinoise {

/// What a cell of a count column says, exactly: a whole number from 0, with blanks around it or
/// zeros as decimals (12.0, as frames write it); nothing where it says anything else.
std::optional<int64_t> parse_count(std::string_view cell, char decimal_mark = '.');

/// How much memory the records of counted rows would take as rows of their own, at least.
int64_t expanded_bytes(const Dataset& dataset);

/// Half of the machine's memory, more than which expanded rows may not take.
int64_t most_expanded_bytes();

/// Gives each record a row of its own, in the order of the counted rows. Pre: not of units.
void expand_rows(Dataset& dataset);

}  // namespace equinoise
