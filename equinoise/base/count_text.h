// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace equinoise {

/// 48842 -> "48,842"
std::string format_count(int64_t count);

/// "12 of 200 cells (6 %)": the count and the share, which is 0 % or 100 % only if it is exactly
/// that.
std::string count_and_share(int64_t count, int64_t total, std::string_view what);

}  // namespace equinoise
