#pragma once

#include <cstdint>

#include "equinoise/privacy/random/source.h"

namespace equinoise {

/// What draw() may differ from its law in total variation.
inline constexpr double kNumberOfRunsError = 1e-12;

/// How often something is done whose best outcome is released: the truncated negative binomial law
/// of Event::Kind::kRepeatAndSelect, at least once. It depends on nothing but its numbers.
/// [PapernotSteinke2022, Definition 1]
class NumberOfRuns {
 public:
  static constexpr double kLeastMean = 1.01;
  static constexpr double kMostMean = 1000;

  /// shape 0: the logarithmic law, 1: the geometric one. Errors: kUsage unless 0 <= shape <= 1 and
  /// kLeastMean <= mean <= kMostMean.
  NumberOfRuns(double shape, double mean);

  /// Inversion by one 64-bit word, in extended precision. That cuts the unit interval at multiples
  /// of 2^-64, and each of at most 2^20 sums is rounded to 2^-64: kNumberOfRunsError is more than
  /// all of them.
  int64_t draw(RandomSource& source) const;

  /// The probability that none of the runs is one that each of them is with probability p.
  double probability_of_none(double p) const;

 private:
  double shape_;
  double stay_;         ///< 1 - gamma: about the ratio of the probabilities of k + 1 and k runs
  double probability_;  ///< of one run
};

}  // namespace equinoise
