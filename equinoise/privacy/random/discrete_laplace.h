// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "equinoise/privacy/random/geometric.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// The decays per unit of the grid that the sampler accepts. Beyond the greatest one a value other
/// than 0 has probability exp(-2^10).
inline constexpr double kMinDiscreteLaplaceDecay = 0x1p-40;
inline constexpr double kMaxDiscreteLaplaceDecay = 0x1p10;

/// The discrete Laplace distribution: Pr[y] = tanh(decay / 2) exp(-decay |y|) for every integer y.
/// It is exact: `decay` is the dyadic rational that the double is, and no decision is rounded. A
/// draw is a sign and a geometric magnitude, without -0. [CanonneKamathSteinke2020, Alg. 2]
class DiscreteLaplace {
 public:
  /// Errors: kUsage unless kMinDiscreteLaplaceDecay <= decay <= kMaxDiscreteLaplaceDecay.
  explicit DiscreteLaplace(double decay);

  /// One proposal, accepted or not. `trials` is an ExactTrials, or in tests an enumeration of them.
  template <typename Trials>
  std::optional<Int128> propose(Trials& trials) const {
    const bool negative = trials.bits(1) != 0;
    const std::optional<Uint128> magnitude = magnitude_.propose(trials);
    if (!magnitude || (negative && *magnitude == 0)) return std::nullopt;
    const auto value = static_cast<Int128>(*magnitude);
    return negative ? -value : value;
  }

  template <typename Trials>
  Int128 draw(Trials& trials) const {
    for (;;) {
      if (const std::optional<Int128> value = propose(trials)) return *value;
    }
  }

 private:
  Geometric magnitude_;
};

/// Adds to each entry an independent discrete Laplace; a sum beyond 64 bits is clamped.
///
/// `decay` is per unit of the grid and taken exactly. The time depends on what is drawn
/// (docs/theory/noise.md). Errors: kUsage, see DiscreteLaplace.
void add_discrete_laplace(double decay, std::span<int64_t> units, RandomSource& source);

}  // namespace equinoise
