// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "equinoise/privacy/random/source.h"
#include "equinoise/privacy/random/wide.h"

namespace equinoise {

/// A bound on the total variation distance of draw() from its distribution.
inline constexpr double kNumberOfRunsError = 0x1p-100;

/// The number of repetitions of which only the best outcome is released: the truncated negative
/// binomial distribution of Event::Kind::kRepeatAndSelect, at least 1. It depends only on its
/// parameters. [PapernotSteinke2022, Definition 1]
class NumberOfRuns {
 public:
  static constexpr double kMinMean = 1.01;
  static constexpr double kMaxMean = 1000;

  /// shape 0: the logarithmic distribution, 1: the geometric one. Errors: kUsage unless
  /// 0 <= shape <= 1 and kMinMean <= mean <= kMaxMean.
  NumberOfRuns(double shape, double mean);

  /// Inversion of a uniform number of 192 bits in arithmetic of 256: at most 2^20 sums are rounded
  /// to 2^-255, and a larger number than that has a probability below 2^-160 at kMaxMean.
  /// kNumberOfRunsError is more than all of that.
  int64_t draw(RandomSource& source) const;

  /// The probability that none of the runs is one that each of them is with probability p.
  double probability_of_none(double p) const;

 private:
  Wide shape_;
  Wide log_inverse_;  ///< log(1 / gamma)
  Wide stay_;         ///< 1 - gamma: about the ratio of the probabilities of k + 1 and k runs
};

}  // namespace equinoise
