// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "equinoise/privacy/random/geometric.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// The scales, in units of the grid, that the sampler accepts. Below the least one a value other
/// than 0 has probability exp(-2^9).
inline constexpr double kMinRoundedLaplaceScale = 0x1p-10;
inline constexpr double kMaxRoundedLaplaceScale = 0x1p40;

/// round(scale * L), L with density exp(-|x|) / 2: a real Laplace variable rounded to the integers.
/// It is exact: `scale` is the dyadic rational that the double is, and no decision is rounded.
///
/// |scale L| is exponential, so it rounds to 0 with probability 1 - exp(-1 / (2 scale)). Otherwise
/// it rounds to 1 + k, k geometric with decay 1 / scale.
class RoundedLaplace {
 public:
  /// Errors: kUsage unless kMinRoundedLaplaceScale <= scale <= kMaxRoundedLaplaceScale.
  explicit RoundedLaplace(double scale);

  /// `trials` is an ExactTrials, or in tests an enumeration of them.
  template <typename Trials>
  Int128 draw(Trials& trials) const {
    if (!trials.exp_minus(half_bounds_, [&] { return half_; })) return 0;
    const bool negative = trials.bits(1) != 0;
    const auto magnitude = static_cast<Int128>(1 + beyond_.draw(trials));
    return negative ? -magnitude : magnitude;
  }

 private:
  Geometric beyond_;
  Rational half_;  // 1 / (2 scale)
  Bounds half_bounds_;
};

/// Adds to each entry an independent round(scale * L), L standard Laplace. This is post-processing
/// of the continuous Laplace mechanism on integers, so that ordinary (sampled) accounting holds; a
/// sum beyond 64 bits is clamped.
///
/// `scale` is in units of the grid and taken exactly. The time depends on the draws
/// (docs/theory/noise.md). Errors: kUsage, see RoundedLaplace.
void add_rounded_laplace(double scale, std::span<int64_t> units, RandomSource& source);

}  // namespace equinoise
