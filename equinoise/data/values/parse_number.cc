// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/values/parse_number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

namespace equinoise {
namespace {

/// Decimal numbers of so many significant digits are all different doubles.
constexpr size_t kMaxExactDigits = 15;

/// from_chars reads a minus but no plus.
std::string_view without_plus(std::string_view cell) {
  return cell.starts_with('+') && !cell.starts_with("+-") ? cell.substr(1) : cell;
}

/// The number of a few digits without a sign or a mark, as most whole numbers of tables are.
std::optional<double> parse_digits(std::string_view cell) {
  if (cell.empty() || cell.size() > kMaxExactDigits) return std::nullopt;
  int64_t value = 0;
  for (const char c : cell) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return static_cast<double>(value);
}

}  // namespace

std::optional<double> parse_number(std::string_view cell) {
  if (const std::optional<double> whole = parse_digits(cell)) return whole;
  cell = without_plus(cell);
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  if (cell.empty() || stop != end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars does not distinguish 1e999 from 1e-999; a stream fails for the first only.
    std::istringstream stream{std::string(cell)};
    stream.imbue(std::locale::classic());
    stream >> value;
    return stream ? value : std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  if (error != std::errc() || std::isnan(value)) return std::nullopt;
  return value;
}

std::optional<double> parse_number(std::string_view cell, char decimal_mark) {
  if (decimal_mark == '.') return parse_number(cell);
  if (cell.find('.') != cell.npos) return std::nullopt;
  std::string text(cell);
  if (const size_t mark = text.find(decimal_mark); mark != text.npos) text[mark] = '.';
  return parse_number(text);
}

bool is_rounded_whole(std::string_view cell, double value) {
  std::string_view digits = cell.substr(cell.starts_with('-') || cell.starts_with('+') ? 1 : 0);
  if (digits.size() <= kMaxExactDigits) return false;
  if (digits.find_first_not_of("0123456789") != digits.npos) return false;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return fmt::format("{:.0f}", std::fabs(value)) != digits;
}

bool is_infinity(std::string_view text) {
  const std::optional<double> number = parse_number(text);
  return number && std::isinf(*number) && text.find_first_of("0123456789") == text.npos;
}

std::optional<double> distinct_number(std::string_view cell, char decimal_mark) {
  const std::optional<double> value = parse_number(cell, decimal_mark);
  if (!value || is_infinity(cell)) return value;
  if (std::isinf(*value)) return std::nullopt;
  const std::string_view mantissa = cell.substr(0, cell.find_first_of("eE"));
  const size_t mark = std::min(mantissa.find(decimal_mark), mantissa.size());
  std::string digits;
  for (const char c : mantissa)
    if (c >= '0' && c <= '9' && (c != '0' || !digits.empty())) digits += c;
  digits.resize(digits.find_last_not_of('0') + 1);
  if (digits.empty()) return value;
  // Denormal numbers have fewer digits.
  if (std::fabs(*value) < std::numeric_limits<double>::min()) return std::nullopt;
  const bool is_whole = mantissa.size() == cell.size() &&
                        mantissa.find_first_of("123456789", mark) == mantissa.npos &&
                        std::fabs(*value) < 0x1p53;
  return digits.size() <= kMaxExactDigits || is_whole ? value : std::nullopt;
}

}  // namespace equinoise
