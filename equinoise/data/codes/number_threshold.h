// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

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

/// The least number of single precision whose shortest text, as in tables, is read as `number` or
/// more.
float float_threshold(double number);

}  // namespace equinoise
