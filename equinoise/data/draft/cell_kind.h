// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace equinoise {

/// Whether a cell is an ordinal: 1st, 2nd, 11th. 12.5 st and 12st are not: st may be the unit of a
/// quantity.
bool is_ordinal(std::string_view cell);

/// Whether a text is a number with the signs that people write around one: 1,234, 12 %, $5.
bool is_written_number(std::string_view cell);

/// Whether a text is a date in figures whose parts have the sizes of days, months and years: not
/// 123-45-6789, 12-34-56 or 1.2.3.
bool is_date_in_figures(std::string_view text);

/// The kind of a text of the first line, as if that line were a record.
enum class CellKind { kName, kNumber, kDate, kAddress };
CellKind kind_of_cell(std::string_view text);

/// Whether a number is written as codes are, with a zero before another digit.
bool has_leading_zero(std::string_view cell);

/// Whether a number without marks is written like a telephone number: a plus and 7 to 15 digits.
bool is_like_telephone(std::string_view number);

}  // namespace equinoise
