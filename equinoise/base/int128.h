// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace equinoise {

using Int128 = __int128;
using Uint128 = unsigned __int128;

/// The upper 64 bits.
inline constexpr uint64_t high_word(Uint128 value) { return static_cast<uint64_t>(value >> 64); }

/// The number of binary digits of `value`; 0 for 0.
inline constexpr int bit_width(Uint128 value) {
  const uint64_t high = high_word(value);
  if (high != 0) return 128 - std::countl_zero(high);
  return 64 - std::countl_zero(static_cast<uint64_t>(value));
}

}  // namespace equinoise
