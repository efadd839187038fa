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

/// `value` moved away from zero's side of privacy: up by `relative` of its size and one unit in the last place.
/// Used where a computed bound has a known relative error and must not be too small.
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
