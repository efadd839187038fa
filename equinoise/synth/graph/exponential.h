// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace equinoise {

/// exp(x) within 2 units in the last place for x from -708 to 709; 0 below, also for -infinity.
/// Undefined above and for NaN. It has no branches and calls, so that compilers vectorise loops
/// over it.
inline double vector_exp(double x) {
  constexpr double kLog2E = 0x1.71547652b82fep0;
  constexpr double kLog2High = 0x1.62e42fefa3800p-1;  // its products with whole numbers are exact
  constexpr double kLog2Low = 0x1.ef35793c76730p-45;
  constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest whole number in the low bits
  const double clamped = x < -708.0 ? -708.0 : x;
  const double shifted = clamped * kLog2E + kRound;
  const double whole = shifted - kRound;
  const double rest = (clamped - whole * kLog2High) - whole * kLog2Low;
  // Taylor's polynomial: |rest| <= log(2) / 2, so that the next term is below 2^-57.
  double sum = 1.0 / 6227020800.0;
  sum = sum * rest + 1.0 / 479001600.0;
  sum = sum * rest + 1.0 / 39916800.0;
  sum = sum * rest + 1.0 / 3628800.0;
  sum = sum * rest + 1.0 / 362880.0;
  sum = sum * rest + 1.0 / 40320.0;
  sum = sum * rest + 1.0 / 5040.0;
  sum = sum * rest + 1.0 / 720.0;
  sum = sum * rest + 1.0 / 120.0;
  sum = sum * rest + 1.0 / 24.0;
  sum = sum * rest + 1.0 / 6.0;
  sum = sum * rest + 0.5;
  sum = sum * rest + 1.0;
  sum = sum * rest + 1.0;
  const uint64_t power = (std::bit_cast<uint64_t>(shifted) + 1023) << 52;
  return x < -708.0 ? 0.0 : sum * std::bit_cast<double>(power);
}

}  // namespace equinoise
