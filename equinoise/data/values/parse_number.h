// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace equinoise {

/// The number that a whole cell spells; nothing for NaN and other texts. No blanks; one sign, - or
/// +, may precede it. Infinities are numbers: "inf", "-Infinity", and numbers too large for a
/// double. A number too small for a double becomes the nearest one, possibly 0.
std::optional<double> parse_number(std::string_view cell);

/// The same with ',' or '.' before the decimals. A text with the other one is no number.
std::optional<double> parse_number(std::string_view cell, char decimal_mark);

/// Whether a cell is a whole number in digits alone that differs from `value`, which was read from
/// it: 2^53 + 1 is no double.
bool is_rounded_whole(std::string_view cell, double value);

/// Whether a text spells an infinity by name. Digits, however many, spell a large number.
bool is_infinity(std::string_view text);

/// The number of a cell, if no cell that spells another number is read as the same double. For
/// comparing texts as numbers, where 2^53 and 2^53 + 1 must stay different.
std::optional<double> distinct_number(std::string_view cell, char decimal_mark = '.');

}  // namespace equinoise
