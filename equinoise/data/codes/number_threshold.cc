// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/codes/number_threshold.h"

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "equinoise/base/rounding.h"
#include "equinoise/data/values/parse_number.h"
#include "equinoise/data/values/printed_number.h"

namespace equinoise {

namespace {

using WideInteger = boost::multiprecision::cpp_int;

/// mantissa 2^exponent
struct Dyadic {
  WideInteger mantissa;
  int exponent = 0;
};

Dyadic dyadic(double number) {
  constexpr int kDigits = std::numeric_limits<double>::digits;
  int exponent = 0;
  const double fraction = std::frexp(number, &exponent);
  return {WideInteger(static_cast<int64_t>(std::ldexp(fraction, kDigits))), exponent - kDigits};
}

Dyadic middle_of(double a, double b) {
  Dyadic first = dyadic(a);
  Dyadic second = dyadic(b);
  const int exponent = std::min(first.exponent, second.exponent);
  first.mantissa *= WideInteger(1) << (first.exponent - exponent);
  second.mantissa *= WideInteger(1) << (second.exponent - exponent);
  return {first.mantissa + second.mantissa, exponent - 1};
}

WideInteger power_of_ten(int exponent) {
  return boost::multiprecision::pow(WideInteger(10), static_cast<unsigned>(exponent));
}

/// value / 10^num_decimals
std::string decimal_text(const WideInteger& value, int num_decimals) {
  std::string text = WideInteger(abs(value)).str();
  if (num_decimals > 0) {
    const auto decimals = static_cast<size_t>(num_decimals);
    if (text.size() <= decimals) text.insert(0, decimals + 1 - text.size(), '0');
    text.insert(text.size() - decimals, ".");
  }
  return (value < 0 ? "-" : "") + text;
}

/// Whether the middle between a number and the next one below it is rounded to the number.
bool takes_ties(double number) { return (std::bit_cast<uint64_t>(number) & 1) == 0; }

}  // namespace

DecimalThreshold decimal_threshold(double number, std::optional<int> num_decimals, int num_digits) {
  // Numbers below 0 that are read as 0 have more decimals than any type.
  if (number == 0) return {decimal_text(0, num_decimals.value_or(0)), true};
  const Dyadic middle = middle_of(next_down(number), number);
  const bool is_tie_reached = takes_ties(number);
  const int binary_decimals = std::max(-middle.exponent, 0);
  const WideInteger whole = middle.mantissa << std::max(middle.exponent, 0);
  if (!num_decimals) {
    // 2^-n has exactly n decimals.
    std::string digits = decimal_text(
        whole * boost::multiprecision::pow(WideInteger(5), static_cast<unsigned>(binary_decimals)),
        binary_decimals);
    if (binary_decimals > 0) digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
    return {digits, is_tie_reached};
  }
  const WideInteger scaled = whole * power_of_ten(*num_decimals);
  const WideInteger divisor = WideInteger(1) << binary_decimals;
  WideInteger least = scaled / divisor;  // towards 0
  const bool is_exact = least * divisor == scaled;
  if (!is_exact && scaled > 0) ++least;
  if (is_exact && !is_tie_reached) ++least;
  const WideInteger most = power_of_ten(num_digits) - 1;
  if (least > most) return {decimal_text(most, *num_decimals), false};
  if (least < -most) least = -most;
  return {decimal_text(least, *num_decimals), true};
}

std::optional<std::string> held_decimal(std::string_view text, std::optional<int> num_decimals,
                                        int num_digits) {
  constexpr int kMaxExponent = 1000;  // exact numbers of engines have none beyond
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const size_t mark = std::min(text.find_first_of("eE"), text.size());
  std::string digits(text.substr(0, mark));
  int exponent = 0;
  if (mark < text.size()) {
    text.remove_prefix(mark + (text.substr(mark + 1).starts_with('+') ? 2 : 1));
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, exponent);
    if (error != std::errc() || stop != end || std::abs(exponent) > kMaxExponent)
      return std::nullopt;
  }
  const size_t point = std::min(digits.find('.'), digits.size());
  digits.erase(point, 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
  const int decimals = static_cast<int>(digits.size() - point) - exponent;
  // A zero in front would make the digits octal.
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  WideInteger value(digits);
  const int held = num_decimals.value_or(std::max(decimals, 0));
  const WideInteger scale = power_of_ten(std::abs(held - decimals));
  if (held < decimals && value % scale != 0) return std::nullopt;
  value = held < decimals ? WideInteger(value / scale) : WideInteger(value * scale);
  if (num_decimals && value >= power_of_ten(num_digits)) return std::nullopt;
  if (is_negative) value = -value;
  return decimal_text(value, held);
}

float float_threshold(double number) {
  const auto is_reached_by = [&](float value) {
    PrintedNumber printed;
    return *parse_number(printed.print(value)) >= number;
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  // A number too large for a float becomes the largest float, which may be below the number.
  constexpr double kMax = std::numeric_limits<float>::max();
  auto value = static_cast<float>(std::fmin(std::fmax(number, -kMax), kMax));
  while (!is_reached_by(value)) value = std::nextafter(value, kInfinity);
  for (float below = std::nextafter(value, -kInfinity); is_reached_by(below);
       below = std::nextafter(value, -kInfinity)) {
    value = below;
    if (std::isinf(value)) break;
  }
  return value;
}

}  // namespace equinoise
