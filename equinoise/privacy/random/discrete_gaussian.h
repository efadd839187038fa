// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "equinoise/privacy/random/exact_trials.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// The standard deviations, in units of the grid, that the exact sampler accepts. Below the least
/// one a value other than 0 has probability exp(-2^19).
inline constexpr double kMinDiscreteGaussianStddev = 0x1p-10;
inline constexpr double kMaxDiscreteGaussianStddev = 0x1p40;

/// The discrete Gaussian: Pr[y] = exp(-y^2 / (2 stddev^2)) / normaliser for every integer y. It is
/// exact: `stddev` is the dyadic rational that the double is, and no decision is rounded.
///
/// A proposal is y = +-(u + width v), width = 2^j, 2^j / stddev in [0.70, 1.42) (j = 0 for smaller
/// stddev), u uniform below width, v with Pr[v] ~ exp(-v). It is accepted with probability exp(-g),
/// g = u / width + (|y| - stddev^2 / width)^2 / (2 stddev^2), and -0 never. The exponents v + g add
/// up to y^2 / (2 stddev^2) + a constant. [CanonneKamathSteinke2020, Alg. 2 and 3] Deviation: width
/// is a power of two instead of floor(stddev) + 1, for which their proof holds as well, and both of
/// their acceptances are one trial.
class DiscreteGaussian {
 public:
  /// Errors: kUsage unless kMinDiscreteGaussianStddev <= stddev <= kMaxDiscreteGaussianStddev.
  explicit DiscreteGaussian(double stddev);

  /// One proposal, accepted or not. `trials` is an ExactTrials, or in tests an enumeration of them.
  template <typename Trials>
  std::optional<Int128> propose(Trials& trials) const {
    const auto drawn = static_cast<uint64_t>(trials.bits(log_width_ + 1));
    const uint64_t u = drawn >> 1;
    const bool negative = (drawn & 1) != 0;
    uint64_t v = 0;
    while (trials.exp_minus_one()) ++v;
    if (negative && u == 0 && v == 0) return std::nullopt;
    if (!trials.exp_minus(bounds(u, v), [&] { return exact(u, v); })) return std::nullopt;
    const Int128 magnitude = (Int128{v} << log_width_) + static_cast<Int128>(u);
    return negative ? -magnitude : magnitude;
  }

  template <typename Trials>
  Int128 draw(Trials& trials) const {
    for (;;) {
      if (const std::optional<Int128> value = propose(trials)) return *value;
    }
  }

 private:
  /// The exponent g of the acceptance, in 128 bits.
  Bounds bounds(uint64_t u, uint64_t v) const {
    if (v >= 256) return kUnknown;
    const Uint128 share = Uint128{u} << (64 - log_width_);  // 2^64 u / width, exactly
    const Uint128 x = (Uint128{v} << 64) + share;
    const Uint128 distance = x > centre_ ? x - centre_ : centre_ - x;
    // z / 2^54 is the distance to within -1 and +2 units: one for the cut, less than one for the
    // centre. v < 256 and centre <= 2.01 keep z below 2^62.
    const auto z = static_cast<uint64_t>(distance >> 10);
    const uint64_t less = z > 0 ? z - 1 : 0;
    const uint64_t low = high_word(Uint128{less} * less);
    const uint64_t high = high_word(Uint128{z + 2} * (z + 2)) + 1;
    return {share + (Uint128{curvature_} * low >> curvature_shift_),
            share + (Uint128{curvature_ + 1} * high >> curvature_shift_) + 1};
  }

  /// g as a fraction.
  Rational exact(uint64_t u, uint64_t v) const;

  BigInteger variance_;  // stddev^2 = variance_ / 2^variance_bits_
  int variance_bits_;    // >= 0
  int log_width_;        // j
  Uint128 centre_;       // floor(2^64 stddev^2 / width^2)
  uint64_t curvature_;   // floor of width^2 / (2 stddev^2) times a power of two; in [2^62, 2^63)
  int curvature_shift_;  // that power is 2^(curvature_shift_ + 20)
};

/// Adds to each entry an independent discrete Gaussian; a sum beyond 64 bits is clamped.
///
/// `stddev` is in units of the grid and taken exactly. The time depends on what is drawn
/// (docs/theory/noise.md). Errors: kUsage, see DiscreteGaussian.
void add_discrete_gaussian(double stddev, std::span<int64_t> units, RandomSource& source);

}  // namespace equinoise
