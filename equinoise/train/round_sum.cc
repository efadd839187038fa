// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/round_sum.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/rounding.h"

namespace equinoise {

double grid_of_sum(double bound, double noise_stddev, int64_t num_records) {
  return power_of_two_below(
      std::max(noise_stddev * 0x1p-30, bound * static_cast<double>(num_records) * 0x1p-59));
}

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
