// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "equinoise/privacy/random/exact_trials.h"

namespace equinoise {

/// A choice of an index with Pr[i] ~ exp(epsilon scores[i] / (2 sensitivity)). Exactly: epsilon and
/// sensitivity are the dyadic rationals that the doubles are, and no decision is rounded.
///
/// A proposal is a uniform index, accepted with probability
/// exp(-epsilon (best - scores[i]) / (2 sensitivity)), best = the largest score. At most as many
/// proposals as indices on average. Keeps a view of the scores.
class ExponentialChoice {
 public:
  /// Pre: at least one score; epsilon >= 0 and sensitivity > 0, both finite.
  ExponentialChoice(std::span<const int64_t> scores, double epsilon, double sensitivity);

  /// One proposal, accepted or not. `trials` is an ExactTrials, or in tests an enumeration of them.
  template <typename Trials>
  std::optional<size_t> propose(Trials& trials) const {
    const auto index = static_cast<size_t>(trials.below(scores_.size()));
    // The difference of two 64-bit integers, without overflow.
    const uint64_t behind = static_cast<uint64_t>(best_) - static_cast<uint64_t>(scores_[index]);
    const bool accepted = trials.exp_minus(bounds(behind), [&] { return exact(behind); });
    return accepted ? std::optional(index) : std::nullopt;
  }

  template <typename Trials>
  size_t draw(Trials& trials) const {
    for (;;) {
      if (const std::optional<size_t> index = propose(trials)) return *index;
    }
  }

 private:
  /// Bounds of the exponent of a score that lies `behind` the best.
  Bounds bounds(uint64_t behind) const {
    const Uint128 low = Uint128{rate_digits_} * behind;
    const Uint128 high = low + (rate_digits_ == 0 ? 0 : behind);
    if (rate_shift_ < 0) {
      if (rate_shift_ <= -128) return {0, 1};
      return {low >> -rate_shift_, (high >> -rate_shift_) + 1};
    }
    // Here low < 2^96 once it is shifted, and high is larger by less than 2^-61 of it.
    if (low != 0 && bit_width(low) + rate_shift_ > 96) return kVeryLarge;
    return low == 0 ? Bounds{0, 0} : Bounds{low << rate_shift_, high << rate_shift_};
  }

  Rational exact(uint64_t behind) const { return {rate_.numerator * behind, rate_.denominator}; }

  std::span<const int64_t> scores_;
  int64_t best_;
  Rational rate_;             // epsilon / (2 sensitivity)
  uint64_t rate_digits_ = 0;  // floor(2^(64 - rate_shift_) rate), in [2^62, 2^63), or 0
  int rate_shift_ = 0;
};

}  // namespace equinoise
