// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/draft/decimals.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace equinoise {

double decimal(double count, int exponent) {
  const std::string text = fmt::format("{:.0f}e{}", count, exponent);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value + 0.0;  // -0 becomes 0
}

int first_digit(double value) {
  return static_cast<int>(
      std::floor(std::log10(std::max(value, std::numeric_limits<double>::min()))));
}

double round_to(double value, int exponent) {
  return decimal(std::round(value / decimal(1, exponent)), exponent);
}

double round_down(double value, int exponent) {
  // The quotient is rounded, so the multiple above is tried first.
  const double count = std::floor(value / decimal(1, exponent));
  const double above = decimal(count + 1, exponent);
  if (above <= value) return above;
  const double found = decimal(count, exponent);
  return found <= value ? found : decimal(count - 1, exponent);
}

double round_up(double value, int exponent) { return 0.0 - round_down(-value, exponent); }

}  // namespace equinoise
