// SPDX-License-Identifier: Apache-2.0
#include "equinoise/base/check.h"

#include <fmt/format.h>

#include <cmath>

namespace equinoise {

void check_positive(std::string_view where, std::string_view name, double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(ErrorKind::kUsage, where,
                fmt::format("{} must be finite and > 0, got {}", name, value));
  }
}

void check_non_negative(std::string_view where, std::string_view name, double value) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw Error(ErrorKind::kUsage, where,
                fmt::format("{} must be finite and >= 0, got {}", name, value));
  }
}

void check_open_interval(std::string_view where, std::string_view name, double value, double low,
                         double high) {
  if (!(value > low && value < high)) {
    throw Error(
        ErrorKind::kUsage, where,
        fmt::format("{} must lie strictly between {} and {}, got {}", name, low, high, value));
  }
}

void check_interval(std::string_view where, std::string_view name, double value, double low,
                    double high) {
  if (!(value >= low && value <= high)) {
    throw Error(ErrorKind::kUsage, where,
                fmt::format("{} must lie between {} and {}, got {}", name, low, high, value));
  }
}

}  // namespace equinoise
