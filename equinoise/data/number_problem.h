// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "equinoise/data/schema/schema.h"

namespace equinoise {

/// The reason why a cell is no number of its column, and a remedy in the schema or the table, if it
/// seems to be a number in another notation: "has marks between thousands: ..."; else "". The
/// result is one of a fixed list of texts. It quotes nothing of the cell but a mark or a sign of
/// that list. `cell` has no blanks around it.
std::string problem_of_number(std::string_view cell, char decimal_mark, const ColumnSchema& column);

}  // namespace equinoise
