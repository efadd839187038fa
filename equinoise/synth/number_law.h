// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
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
  double number_at(double share) const { return number_at(share, {0, below.size()}); }

  /// The same of a share for which the search may stay between these knots.
  double number_at(double share, std::pair<size_t, size_t> between) const;

  /// For numbers of shares from `low` to `high`.
  std::pair<size_t, size_t> knots_between(double low, double high) const;
};

}  // namespace equinoise
