// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "equinoise/privacy/random/discrete_gaussian_masses.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// A sampler for single releases of one discrete Gaussian whose time depends neither on the draw
/// nor on the entry. It compares two random words with all cumulative masses in order.
///
/// One bit is the sign and 127 bits are a uniform integer; the magnitude is the number of
/// cumulative masses that it reaches. No branch and no address depends on a drawn word or on an
/// entry. The distribution is exactly that of DiscreteGaussianMasses: kDiscreteGaussianTableError
/// bounds the error of a draw. About 14 stddev comparisons per draw.
class DiscreteGaussianScan {
 public:
  /// Errors: kUsage, see DiscreteGaussianMasses.
  explicit DiscreteGaussianScan(double stddev)
      : DiscreteGaussianScan(DiscreteGaussianMasses(stddev)) {}
  explicit DiscreteGaussianScan(const DiscreteGaussianMasses& masses);

  double stddev() const { return stddev_; }

  /// The draw that belongs to two uniform words.
  int64_t draw(uint64_t high, uint64_t low) const {
    const Uint128 uniform = (Uint128{high >> 1} << 64) | low;
    uint64_t magnitude = 0;
    for (const Uint128& reached : cumulative_) {
      // The sign bit of a difference of numbers below 2^127: arithmetic, so that no branch comes of
      // it.
      magnitude += ~static_cast<uint64_t>((uniform - reached) >> 64) >> 63;
    }
    const uint64_t negative = high & 1;
    return static_cast<int64_t>((magnitude ^ (0 - negative)) + negative);
  }

  /// Adds to each entry an independent draw; a sum beyond 64 bits is clamped.
  void add_noise(std::span<int64_t> units, RandomSource& source) const;

 private:
  double stddev_;
  std::vector<Uint128> cumulative_;  // of 0, of 0 and 1, ...; without the last, which is 2^127
};

}  // namespace equinoise
