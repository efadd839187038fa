// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// 53 random bits: uniform on the multiples of 2^-53 in [0, 1). For choices that protect nobody;
/// noise comes from exact samplers.
inline double uniform_fraction(RandomSource& source) {
  return static_cast<double>(source.next() >> 11) * 0x1p-53;
}

}  // namespace equinoise
