// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/option_value.h"

#include <fmt/format.h>

#include "equinoise/base/error.h"

namespace equinoise {

namespace {

// Doubles hold whole numbers up to it.
constexpr double kLargestWhole = 0x1p53;

}  // namespace

OptionValue to_option_value(double value) {
  if (std::fabs(value) <= kLargestWhole && std::floor(value) == value)
    return static_cast<int64_t>(value);
  return value;
}

OptionValue to_option_value(int64_t value) { return value; }

OptionValue to_option_value(size_t value) {
  if (std::in_range<int64_t>(value)) return static_cast<int64_t>(value);
  return fmt::format("{}", value);
}

double number_in(std::string_view where, std::string_view name, const OptionValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  refuse_value(where, name, "a number");
}

int64_t whole_number_in(std::string_view where, std::string_view name, const OptionValue& value) {
  return value_as<int64_t>(where, name, value, "a whole number");
}

std::vector<size_t> sizes_in(std::string_view where, std::string_view name,
                             const OptionValue& value) {
  std::vector<size_t> sizes;
  for (const double size : value_as<std::vector<double>>(where, name, value, "sizes")) {
    if (!(size >= 0 && size <= kLargestWhole && std::floor(size) == size))
      refuse_value(where, name, "whole numbers");
    sizes.push_back(static_cast<size_t>(size));
  }
  return sizes;
}

std::map<std::string, double> named_numbers_in(std::string_view where, std::string_view name,
                                               const OptionValue& value) {
  return value_as<std::map<std::string, double>>(where, name, value, "numbers by name");
}

void refuse_value(std::string_view where, std::string_view name, std::string_view kind) {
  throw Error(ErrorKind::kInput, where, "{} must be {}", name, kind);
}

}  // namespace equinoise
