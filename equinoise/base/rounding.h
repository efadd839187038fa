// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

namespace equinoise {

/// The smallest double above `value`; infinity and NaN stay as they are.
inline double next_up(double value) {
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}

/// The largest double below `value`; minus infinity and NaN stay as they are.
inline double next_down(double value) {
  return std::nextafter(value, -std::numeric_limits<double>::infinity());
}

/// a + b, not below the exact sum; exact if either is 0, so that zero cost stays zero.
inline double add_up(double a, double b) { return a == 0 ? b : b == 0 ? a : next_up(a + b); }

/// a * b for a, b >= 0, not below the exact product; 0 if either is 0.
inline double multiply_up(double a, double b) { return a == 0 || b == 0 ? 0 : next_up(a * b); }

/// `value` >= 0 raised by `relative` of its size and one unit in the last place: for a computed
/// bound with a known relative error that must not come out too small.
inline double round_up(double value, double relative) {
  return next_up(value + std::fabs(value) * relative);
}

/// The largest power of two that is <= value (value > 0 and finite).
inline double power_of_two_below(double value) {
  int exponent = 0;
  std::frexp(value, &exponent);
  return std::ldexp(1.0, exponent - 1);
}

}  // namespace equinoise
