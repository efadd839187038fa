// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace equinoise {

/// The double that is nearest to count * 10^exponent, so that its shortest form is short.
double decimal(double count, int exponent);

/// The power of ten of the first digit of a number >= 0; of 0, as of all below the smallest normal
/// double, that of this.
int first_digit(double value);

/// To the nearest multiple of 10^exponent, which is a number with a short text.
double round_to(double value, int exponent);

/// To the next multiple that is not above the value, or not below it.
double round_down(double value, int exponent);
double round_up(double value, int exponent);

}  // namespace equinoise
