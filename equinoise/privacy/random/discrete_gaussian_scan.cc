// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/random/discrete_gaussian_scan.h"

#include <limits>

namespace equinoise {

namespace {

/// clamped_sum without a branch. Pre: |noise| < 2^62.
int64_t clamped_sum_in_fixed_time(int64_t value, int64_t noise) {
  int64_t sum = 0;
  const auto overflow = static_cast<uint64_t>(__builtin_add_overflow(value, noise, &sum));
  // An overflow has the sign of the value.
  const uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) +
                         (static_cast<uint64_t>(value) >> 63);
  const uint64_t mask = 0 - overflow;
  return static_cast<int64_t>((static_cast<uint64_t>(sum) & ~mask) | (limit & mask));
}

}  // namespace

DiscreteGaussianScan::DiscreteGaussianScan(const DiscreteGaussianMasses& masses)
    : stddev_(masses.stddev()) {
  Uint128 sum = 0;
  const auto all = masses.masses();
  for (const Uint128 mass : all.first(all.size() - 1)) {
    sum += mass;
    cumulative_.push_back(sum);
  }
}

void DiscreteGaussianScan::add_noise(std::span<int64_t> units, RandomSource& source) const {
  for (int64_t& unit : units) {
    const uint64_t high = source.next();
    unit = clamped_sum_in_fixed_time(unit, draw(high, source.next()));
  }
}

}  // namespace equinoise
