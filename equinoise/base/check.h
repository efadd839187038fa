// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "equinoise/base/error.h"

namespace equinoise {

/// Throws a usage error unless `value` is finite and > 0. NaN fails.
void check_positive(std::string_view where, std::string_view name, double value);

/// Throws a usage error unless `value` is finite and >= 0. NaN fails.
void check_non_negative(std::string_view where, std::string_view name, double value);

/// Throws a usage error unless low < value < high. NaN fails.
void check_open_interval(std::string_view where, std::string_view name, double value, double low,
                         double high);

/// Throws a usage error unless low <= value <= high. NaN fails.
void check_interval(std::string_view where, std::string_view name, double value, double low,
                    double high);

}  // namespace equinoise
