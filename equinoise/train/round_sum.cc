// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/round_sum.h"

#include <cmath>

namespace equinoise {

void round_sum(double from, double to, std::span<int64_t> sum) {
  const int shift = std::ilogb(to) - std::ilogb(from);
  if (shift < 0) {
    for (int64_t& units : sum) units *= int64_t{1} << -shift;
  } else if (shift > 0) {
    const int64_t half = int64_t{1} << (shift - 1);
    for (int64_t& units : sum) units = (units + half) >> shift;
  }
}

}  // namespace equinoise
