// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace equinoise {

/// The threshold from which on exact decimal numbers are read as `number` or more, i.e. after
/// rounding to the nearest double.
struct DecimalThreshold {
  std::string digits;      ///< "16.95"
  bool is_reached = true;  ///< whether the threshold itself reaches it, or only numbers above
};

/// The threshold among decimal numbers with `num_decimals` decimals and at most `num_digits` digits
/// in total is the least one that reaches `number`. Among decimal numbers of any length (no
/// `num_decimals`) it is the middle between `number` and the next double below. `number`: finite.
DecimalThreshold decimal_threshold(double number, std::optional<int> num_decimals,
                                   int num_digits = 38);

/// The digits of the number that a text spells, exactly, as a type with `num_decimals` decimals and
/// at most `num_digits` digits in total holds it: "0.00150" for "1.5e-3" and 5 decimals. Without
/// `num_decimals` there are as many decimals as in the text. Nothing for a text that is no number
/// of digits, and for a number that the type does not hold.
std::optional<std::string> held_decimal(std::string_view text, std::optional<int> num_decimals,
                                        int num_digits = 38);

/// The least number of single precision whose shortest text, as in tables, is read as `number` or
/// more.
float float_threshold(double number);

}  // namespace equinoise
