// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace equinoise {

/// The exact value of a double > 0: odd * 2^exponent.
struct Dyadic {
  uint64_t odd;  ///< odd and below 2^53
  int exponent;
};

/// Pre: `value` is finite and > 0.
inline Dyadic to_dyadic(double value) {
  int exponent = 0;
  auto digits = static_cast<uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  exponent -= 53;
  const int zeros = __builtin_ctzll(digits);
  return {digits >> zeros, exponent + zeros};
}

}  // namespace equinoise
