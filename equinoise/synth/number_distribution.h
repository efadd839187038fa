// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace equinoise {

/// The distribution of a column's numbers: a distribution function that is linear between knots.
struct NumberDistribution {
  std::vector<double> knots;  ///< ascending, two or more
  std::vector<double>
      below;  ///< (knots) the share of numbers below each: from 0 on, not descending

  /// The share of numbers below `number`.
  double share_below(double number) const;

  /// The share of numbers from `low` to below `high`.
  double share_between(double low, double high) const {
    return share_below(high) - share_below(low);
  }

  /// The smallest number with the share `share` below it, kept below the knot that ends its
  /// stretch. It is the last knot for a share that no number has.
  double number_at(double share) const { return number_at(share, {0, below.size()}); }

  /// number_at() with the search restricted to these knots.
  double number_at(double share, std::pair<size_t, size_t> between) const;

  /// The knots for shares from `low` to `high`.
  std::pair<size_t, size_t> knots_between(double low, double high) const;
};

}  // namespace equinoise
