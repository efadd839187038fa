// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "equinoise/base/int128.h"

namespace equinoise {

/// value + noise, clamped to 64 bits.
///
/// The result is a function of the exact sum alone, so a post-processing of the mechanism that
/// releases the exact sum: clamping costs no privacy, and neither value nor noise can cause an
/// error. Pre: |noise| < 2^126.
inline int64_t clamped_sum(int64_t value, Int128 noise) {
  const Int128 sum = value + noise;
  constexpr auto kLow = std::numeric_limits<int64_t>::min();
  constexpr auto kHigh = std::numeric_limits<int64_t>::max();
  return sum < kLow ? kLow : sum > kHigh ? kHigh : static_cast<int64_t>(sum);
}

/// value + noise, clamped, for noise of 64 bits.
inline int64_t clamped_sum(int64_t value, int64_t noise) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(value, noise, &sum)) [[likely]]
    return sum;
  return noise < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

}  // namespace equinoise
