// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace equinoise {

/// The double nearest to count * 10^exponent, so that its shortest text is short.
inline double decimal(double count, int exponent) {
  const std::string text = fmt::format("{:.0f}e{}", count, exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value + 0.0;  // -0 becomes 0
}

/// The power of ten of the first digit of a number >= 0. Numbers below the smallest normal double,
/// including 0, have the power of that double.
inline int first_digit(double value) {
  return static_cast<int>(
      std::floor(std::log10(std::max(value, std::numeric_limits<double>::min()))));
}

/// The nearest multiple of 10^exponent, a number with a short text.
inline double round_to(double value, int exponent) {
  return decimal(std::round(value / decimal(1, exponent)), exponent);
}

/// The next multiple that is not above the value (round_down) or not below it (round_up).
inline double round_down(double value, int exponent) {
  // The quotient is rounded, so the multiple above is tried first.
  const double count = std::floor(value / decimal(1, exponent));
  const double above = decimal(count + 1, exponent);
  if (above <= value) return above;
  const double found = decimal(count, exponent);
  return found <= value ? found : decimal(count - 1, exponent);
}

inline double round_up(double value, int exponent) { return 0.0 - round_down(-value, exponent); }

}  // namespace equinoise
