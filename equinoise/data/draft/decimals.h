// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace equinoise {

/// The double nearest to count * 10^exponent, so that its shortest text is short.
double decimal(double count, int exponent);

/// The power of ten of the first digit of a number >= 0. Numbers below the smallest normal double,
/// including 0, have the power of that double.
int first_digit(double value);

/// The nearest multiple of 10^exponent, a number with a short text.
double round_to(double value, int exponent);

/// The next multiple that is not above the value (round_down) or not below it (round_up).
double round_down(double value, int exponent);
double round_up(double value, int exponent);

}  // namespace equinoise
