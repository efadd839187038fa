// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string_view>

#include "equinoise/base/error.h"

namespace equinoise {

/// Throws a usage error unless `value` is finite and > 0. NaN fails.
inline void check_positive(std::string_view where, std::string_view name, double value) {
  if (!(value > 0) || !std::isfinite(value)) {
    throw Error(ErrorKind::kUsage, where, "{} must be finite and > 0, got {}", name, value);
  }
}

/// Throws a usage error unless `value` is finite and >= 0. NaN fails.
inline void check_non_negative(std::string_view where, std::string_view name, double value) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw Error(ErrorKind::kUsage, where, "{} must be finite and >= 0, got {}", name, value);
  }
}

/// Throws a usage error unless low < value < high. NaN fails.
inline void check_open_interval(std::string_view where, std::string_view name, double value,
                                double low, double high) {
  if (!(value > low && value < high)) {
    throw Error(ErrorKind::kUsage, where, "{} must lie strictly between {} and {}, got {}", name,
                low, high, value);
  }
}

/// Throws a usage error unless low <= value <= high. NaN fails.
inline void check_interval(std::string_view where, std::string_view name, double value, double low,
                           double high) {
  if (!(value >= low && value <= high)) {
    throw Error(ErrorKind::kUsage, where, "{} must lie between {} and {}, got {}", name, low, high,
                value);
  }
}

}  // namespace equinoise
