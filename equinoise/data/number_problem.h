// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// Why a cell is no number of its column and what to write in the schema or in the table, if it
/// seems to be a number that is written in another way: "has marks between thousands: ..."; else
/// "". One of a fixed list of texts, by what the cell is written with; it holds nothing of what
/// stands in it but a mark or a sign of that list. `cell` has no blanks around it.
std::string problem_of_number(std::string_view cell, char decimal_mark, const ColumnSchema& column);

}  // namespace equinoise
