// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace equinoise {

/// The number that a whole cell spells; nothing for NaN and for anything else. No blanks; one sign,
/// - or +, may stand before it.
/// Infinite ones are numbers: "inf", "-Infinity", and what is too large for a double. What is too
/// small for one becomes the nearest double, at last 0.
std::optional<double> parse_number(std::string_view cell);

/// The same where ',' or '.' stands before the decimals; the other one makes it no number.
std::optional<double> parse_number(std::string_view cell, char decimal_mark);

/// Whether a cell is a whole number in digits alone, and the `value` that was read from it another
/// one: 2^53 + 1 is no double.
bool is_rounded_whole(std::string_view cell, double value);

/// Whether a text spells an infinite number: not in digits, of which too many are just a large one.
bool is_infinity(std::string_view text);

/// The number of a cell, if no cell that spells another number is read as the same double: for
/// comparing texts as numbers, where 2^53 and 2^53 + 1 must not become one.
std::optional<double> distinct_number(std::string_view cell, char decimal_mark = '.');

}  // namespace equinoise
