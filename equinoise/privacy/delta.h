// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace equinoise {

/// The default failure probability of every command.
inline constexpr double kDefaultDelta = 1e-6;

/// A warning if delta is not below 1 / `num_records`, the public number; otherwise "". If a unit
/// may have several rows, the number counts units and `name` is "num_units".
std::string large_delta_warning(double delta, int64_t num_records,
                                std::string_view name = "num_records");

}  // namespace equinoise
