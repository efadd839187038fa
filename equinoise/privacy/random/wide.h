// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>

namespace equinoise {

/// Real numbers with 256 bits, for the rare draws that double precision cannot decide.
using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<256, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;

/// 128 random bits that follow the leading ones.
struct TailBits {
  uint64_t high;
  uint64_t low;
};

/// A uniform real in (0, 1) with the leading `bits` bits `head` and the next 128 bits `tail`, taken
/// as the middle of that cell, which is 2^-(bits + 128) wide.
inline Wide wide_uniform(uint64_t head, int bits, TailBits tail) {
  const Wide low = ldexp(Wide(tail.low) + Wide(0.5), -64);
  return ldexp(Wide(head) + ldexp(Wide(tail.high) + low, -64), -bits);
}

}  // namespace equinoise
