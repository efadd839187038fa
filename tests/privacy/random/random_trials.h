// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "equinoise/privacy/random/exact_trials.h"
#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// ExactTrials from a seed that also check each trial's 128-bit bounds against its fraction.
class RandomTrials {
 public:
  explicit RandomTrials(uint64_t seed) : source_(seed) {}

  Uint128 bits(int count) { return trials_.bits(count); }
  Uint128 below(Uint128 bound) { return trials_.below(bound); }
  bool exp_minus_one() { return trials_.exp_minus_one(); }

  template <typename Exact>
  bool exp_minus(const Bounds& bounds, Exact exact) {
    const Rational g = exact();
    const BigInteger scaled = g.numerator << 64;
    EXPECT_LE(BigInteger(bounds.lower) * g.denominator, scaled);
    if (bounds.upper != ~Uint128{0}) {
      EXPECT_GE(BigInteger(bounds.upper) * g.denominator, scaled);
    }
    // Beyond 2^10 the bounds are never needed closely.
    if (scaled < g.denominator << 74) {
      widest_ = std::max(widest_, static_cast<double>(bounds.upper - bounds.lower) * 0x1p-64);
    }
    return trials_.exp_minus(bounds, exact);
  }

  /// The greatest distance between two bounds so far.
  double widest() const { return widest_; }

 private:
  struct NextWord {
    RandomSource* source;
    uint64_t operator()() const { return source->next(); }
  };

  SeededSource source_;
  ExactTrials<NextWord> trials_{NextWord{&source_}};
  double widest_ = 0;
};

}  // namespace equinoise
