// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <vector>

#include "equinoise/privacy/random/exact_trials.h"
#include "equinoise/privacy/random/wide.h"

namespace equinoise {

/// Stands for ExactTrials and takes every decision both ways, so that a sampler's distribution
/// follows from its code with 256 bits instead of from draws. Also checks each trial's 128-bit
/// bounds against its fraction.
class EnumeratedTrials {
 public:
  /// The mass of each result of `draw(trials)`; paths lighter than `least` are left out.
  template <typename Result, typename Draw>
  static std::map<Result, Wide> distribution_of(Draw draw, const Wide& least) {
    std::map<Result, Wide> distribution;
    EnumeratedTrials trials(least);
    do {
      trials.position_ = 0;
      trials.mass_ = 1;
      try {
        const Result result = draw(trials);
        distribution[result] += trials.mass_;
      } catch (const TooLight&) {
      }
    } while (trials.next_path());
    return distribution;
  }

  Uint128 bits(int count) { return below(Uint128{1} << count); }

  Uint128 below(Uint128 bound) {
    const auto choices = static_cast<size_t>(bound);
    return choose(choices, 1 / Wide(choices));
  }

  bool exp_minus_one() { return happens(inverse_e_); }

  template <typename Exact>
  bool exp_minus(const Bounds& bounds, Exact exact) {
    const Rational g = exact();
    const BigInteger scaled = g.numerator << 64;
    EXPECT_LE(BigInteger(bounds.lower) * g.denominator, scaled);
    if (bounds.upper != ~Uint128{0}) {
      EXPECT_GE(BigInteger(bounds.upper) * g.denominator, scaled);
    }
    return happens(exp(-Wide(g.numerator) / Wide(g.denominator)));
  }

 private:
  struct TooLight {};
  struct Choice {
    size_t taken;
    size_t choices;
  };

  explicit EnumeratedTrials(Wide least) : min_(std::move(least)) {}

  bool happens(const Wide& probability) {
    const bool yes = next_choice(2) != 0;
    weigh(yes ? probability : 1 - probability);
    return yes;
  }

  size_t choose(size_t choices, const Wide& probability) {
    const size_t taken = next_choice(choices);
    weigh(probability);
    return taken;
  }

  size_t next_choice(size_t choices) {
    if (position_ == path_.size()) path_.push_back({0, choices});
    return path_[position_++].taken;
  }

  void weigh(const Wide& probability) {
    mass_ *= probability;
    if (mass_ < min_) throw TooLight();
  }

  /// Moves to the next path in order; false after the last one.
  bool next_path() {
    path_.resize(position_);
    while (!path_.empty() && path_.back().taken + 1 == path_.back().choices) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().taken;
    return true;
  }

  const Wide inverse_e_ = exp(Wide(-1));
  Wide min_;
  Wide mass_ = 1;
  std::vector<Choice> path_;
  size_t position_ = 0;
};

}  // namespace equinoise
