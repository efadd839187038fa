// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace equinoise {

/// How the numbers of a column are spread: a distribution function that is linear between knots.
struct NumberLaw {
  std::vector<double> knots;  ///< ascending, two or more
  std::vector<double>
      below;  ///< (knots) the share of numbers below each: from 0 on, not descending

  /// The share of numbers below one.
  double share_below(double number) const;

  /// The number below which that share lies, of several the smallest, but below the knot that ends
  /// its stretch; the last knot for a share that no number has.
  double number_at(double share) const;
};

}  // namespace equinoise
