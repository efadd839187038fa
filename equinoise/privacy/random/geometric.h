// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "equinoise/privacy/random/exact_trials.h"

namespace equinoise {

/// The geometric distribution on 0, 1, 2, ...: Pr[k] = (1 - exp(-decay)) exp(-decay k), with
/// decay = numerator / denominator. It is exact: no decision is rounded.
///
/// A proposal is x = u + denominator v, u uniform below the denominator, v with Pr[v] ~ exp(-v). It
/// is accepted with probability exp(-u / denominator), so that Pr[x] ~ exp(-x / denominator); k is
/// floor(x / numerator). [CanonneKamathSteinke2020, Alg. 2]
class Geometric {
 public:
  /// Pre: 1 <= numerator < 2^64; the denominator is a power of two up to 2^93, or 1 <= it < 2^63.
  Geometric(uint64_t numerator, Uint128 denominator)
      : numerator_(numerator), denominator_(denominator) {
    if ((numerator & (numerator - 1)) == 0) numerator_log2_ = bit_width(numerator) - 1;
    if ((denominator & (denominator - 1)) == 0) denominator_log2_ = bit_width(denominator) - 1;
  }

  /// One proposal, accepted or not. `trials` is an ExactTrials, or in tests an enumeration of them.
  /// A value beyond 2^120 is returned as 2^120.
  template <typename Trials>
  std::optional<Uint128> propose(Trials& trials) const {
    const Uint128 u = trials.below(denominator_);
    const auto exact = [&] { return Rational{BigInteger(u), BigInteger(denominator_)}; };
    if (!trials.exp_minus(bounds(u), exact)) return std::nullopt;
    uint64_t v = 0;
    while (trials.exp_minus_one()) ++v;
    return quotient(u, v);
  }

  template <typename Trials>
  Uint128 draw(Trials& trials) const {
    for (;;) {
      if (const std::optional<Uint128> value = propose(trials)) return *value;
    }
  }

  /// floor((u + denominator v) / numerator), at most 2^120. Pre: u < denominator.
  Uint128 quotient(Uint128 u, uint64_t v) const {
    if (v < (uint64_t{1} << 34)) {
      const Uint128 x = u + denominator_ * v;  // below 2^127
      const Uint128 value = numerator_log2_ >= 0 ? x >> numerator_log2_ : x / numerator_;
      return value < kMax ? value : kMax;
    }
    const BigInteger x = BigInteger(u) + BigInteger(denominator_) * v;
    const BigInteger value = x / numerator_;
    return value < BigInteger(kMax) ? static_cast<Uint128>(value) : kMax;
  }

 private:
  static constexpr Uint128 kMax = Uint128{1} << 120;

  /// Bounds of u / denominator.
  Bounds bounds(Uint128 u) const {
    if (denominator_log2_ >= 0) {
      if (denominator_log2_ <= 64)
        return {u << (64 - denominator_log2_), u << (64 - denominator_log2_)};
      const Uint128 share = u >> (denominator_log2_ - 64);
      return {share, share + 1};
    }
    const Uint128 share = (u << 64) / denominator_;
    return {share, share + 1};
  }

  uint64_t numerator_;
  Uint128 denominator_;
  int numerator_log2_ = -1;    // -1 unless it is a power of two
  int denominator_log2_ = -1;  // likewise
};

}  // namespace equinoise
