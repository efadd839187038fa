// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace equinoise {

/// From where on exact decimal numbers reach a number of double precision when they are read as
/// such, i.e. rounded to the nearest one.
struct DecimalThreshold {
  std::string digits;      ///< "16.95"
  bool is_reached = true;  ///< by the threshold itself, or only by what is above it
};

/// Of decimal numbers with `num_decimals` decimals and at most `num_digits` digits in all the least
/// one that does; of decimal numbers of any length (nothing given) the number in the middle between
/// `number` and the one below it. `number`: finite.
DecimalThreshold decimal_threshold(double number, std::optional<int> num_decimals,
                                   int num_digits = 38);

/// The least number of single precision whose shortest text, as tables have it, is read as `number`
/// or more.
float float_threshold(double number);

}  // namespace equinoise
