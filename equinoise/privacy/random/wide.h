#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstdint>

namespace equinoise {

/// Real numbers with 160 bits, for the rare draws that double precision cannot decide.
using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<160, boost::multiprecision::digit_base_2>,
    boost::multiprecision::et_off>;

/// A uniform real in (0, 1) whose leading `bits` bits are `head` and whose next 64 are `tail`, as
/// the middle of that cell. The cell is 2^-(bits + 64) wide.
inline Wide wide_uniform(uint64_t head, int bits, uint64_t tail) {
  return ldexp(Wide(head) + ldexp(Wide(tail) + Wide(0.5), -64), -bits);
}

}  // namespace equinoise
