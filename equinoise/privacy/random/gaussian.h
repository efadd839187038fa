// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// An upper bound on the total-variation distance of one draw from its distribution, for stddev <=
/// kMaxGaussianStddev.
inline constexpr double kGaussianDrawError = 0x1p-140;

/// The largest standard deviation, in units of the grid.
inline constexpr double kMaxGaussianStddev = 0x1p32;

/// Adds to each entry an independent round(stddev * Z), Z standard normal. A real Gaussian rounded
/// to the integers is post-processing of the continuous Gaussian mechanism, so that ordinary
/// (sampled) accounting holds. `stddev` is in units of the grid.
///
/// Method: a ziggurat whose boxes have exactly equal area (their corners are doubles, their heights
/// are left real), so that it is exact over the reals. A comparison or a rounding that double
/// precision cannot decide is decided with 128 more random bits in 256-bit arithmetic.
/// [MarsagliaTsang2000; docs/theory/noise.md has proof and error bound] Errors: kUsage unless
/// 0 < stddev <= kMaxGaussianStddev.
void add_rounded_gaussian(double stddev, std::span<int64_t> units, RandomSource& source);

/// Computes the same function of the same random words, with every value in wide arithmetic: the
/// reference for tests.
void add_rounded_gaussian_wide(double stddev, std::span<int64_t> units, RandomSource& source);

}  // namespace equinoise
