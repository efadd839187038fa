// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "equinoise/base/int128.h"

namespace equinoise {

/// The text of a number in cells, which is the text that DuckDB prints. Each text is valid until
/// the next call.
class PrintedNumber {
 public:
  std::string_view print(int64_t value) { return print_integer(value); }
  std::string_view print(uint64_t value) { return print_integer(value); }

  /// Whole numbers have their digits as doubles, which may be more than single precision needs:
  /// 123456792, not 1.2345679e8.
  std::string_view print(float value) {
    return value == std::floor(value) ? print(static_cast<double>(value)) : print_shortest(value);
  }

  std::string_view print(double value) { return print_shortest(value); }

  /// `value` / 10^num_decimals of a type with `num_digits` digits, 38 at most. A type with decimals
  /// only has nothing before the point: .05.
  std::string_view print_decimal(Int128 value, int num_digits, int num_decimals) {
    Uint128 left = value < 0 ? -static_cast<Uint128>(value) : static_cast<Uint128>(value);
    char* const end = text_.data() + text_.size();
    char* next = end;
    for (int i = 0; i < num_decimals; ++i) *--next = take_digit(left);
    if (num_decimals > 0) *--next = '.';
    if (num_digits > num_decimals) {
      do {
        *--next = take_digit(left);
      } while (left != 0);
    }
    if (value < 0) *--next = '-';
    return {next, static_cast<size_t>(end - next)};
  }

 private:
  template <typename Value>
  std::string_view print_integer(Value value) {
    const char* end = fmt::format_to(text_.data(), FMT_COMPILE("{}"), value);
    return {text_.data(), static_cast<size_t>(end - text_.data())};
  }

  /// The shortest text that reads back as the value and differs from that of an integer.
  template <typename Value>
  std::string_view print_shortest(Value value) {
    char* end = fmt::format_to(text_.data(), FMT_COMPILE("{}"), value);
    const std::string_view text(text_.data(), static_cast<size_t>(end - text_.data()));
    if (text.find_first_not_of("-0123456789") != text.npos) return text;
    *end++ = '.';
    *end++ = '0';
    return {text_.data(), text.size() + 2};
  }

  /// Removes the last digit. Most numbers have no upper word; these are divided faster.
  static char take_digit(Uint128& number) {
    if (high_word(number) == 0) {
      const auto low = static_cast<uint64_t>(number);
      number = low / 10;
      return static_cast<char>('0' + low % 10);
    }
    const auto digit = static_cast<char>('0' + static_cast<int>(number % 10));
    number /= 10;
    return digit;
  }

  std::array<char, 48> text_;
};

}  // namespace equinoise
