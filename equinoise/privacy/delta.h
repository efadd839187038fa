// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace equinoise {

/// The failure probability of every command that is not told another one.
inline constexpr double kDefaultDelta = 1e-6;

/// What to warn of where delta is not below 1 / `num_records`, the public number; else "".
std::string large_delta_warning(double delta, int64_t num_records);

}  // namespace equinoise
