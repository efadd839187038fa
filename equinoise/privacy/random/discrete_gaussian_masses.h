// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "equinoise/base/int128.h"

namespace equinoise {

/// An upper bound on the total-variation distance between a draw from DiscreteGaussianMasses and
/// the discrete Gaussian; checked when the masses are made.
inline constexpr double kDiscreteGaussianTableError = 0x1p-112;

/// The standard deviations, in units of the grid, for which there are tables.
inline constexpr double kMinDiscreteGaussianTableStddev = 0x1p-2;
inline constexpr double kMaxDiscreteGaussianTableStddev = 0x1p11;

/// The distribution of |y|, y discrete Gaussian, in whole multiples of 2^-127 that sum to 1. The
/// table and the scan draw from it without any further error.
///
/// Each mass is the nearest multiple of the true one, in 256-bit arithmetic; 0 takes up the
/// remainder. Magnitudes that have less than 2^-134 together are left out. Per entry the rounding
/// is at most 2^-128, and there are at most 2^15 entries. So the distance is at most
/// 2^15 2^-128 + 2^-134 (half for the entries, half for the remainder at 0), less than 2^-112.
class DiscreteGaussianMasses {
 public:
  /// Takes about as long as 30 stddev multiplications of 256 bits. Errors: kUsage unless
  /// kMinDiscreteGaussianTableStddev <= stddev <= kMaxDiscreteGaussianTableStddev.
  explicit DiscreteGaussianMasses(double stddev);

  double stddev() const { return stddev_; }

  /// The masses of 0, 1, 2, ..., in units of 2^-127; at least 2 and at most 2^15 of them.
  std::span<const Uint128> masses() const { return masses_; }

 private:
  double stddev_;
  std::vector<Uint128> masses_;
};

}  // namespace equinoise
