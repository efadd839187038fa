// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace equinoise {

/// The default failure probability of every command.
inline constexpr double kDefaultDelta = 1e-6;

/// A warning if delta is not below 1 / `num_records`, the public number; otherwise "". If a unit
/// may have several rows, the number counts units and `name` is "num_units".
inline std::string large_delta_warning(double delta, int64_t num_records,
                                       std::string_view name = "num_records") {
  const double limit = 1 / static_cast<double>(num_records);
  if (delta < limit) return "";
  return fmt::format(
      "delta {:g} is not below 1 / {} = {:.3g}: the guarantee would allow publishing {}", delta,
      name, limit, name == "num_records" ? "a whole record" : "all rows of a unit");
}

}  // namespace equinoise
