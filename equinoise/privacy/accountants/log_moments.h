// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

namespace equinoise {

/// log k! for k = 0 .. kLargestRenyiOrder + 1, to two units in the last place.
const Eigen::ArrayXd& log_factorials();

/// The sums over k = 2 .. n of C(n, k) rate^k rest^(n - k) exp(log_values[k]) for any n, which make
/// up moments at whole orders.
///
/// Few terms of a long sum matter. Blocks whose terms are all below e^-42 of the largest known one
/// enter with a bound: C(n, k) rate^k rest^(n - k) is log-concave in k, so the largest term of a
/// block is the one nearest to the peak.
class BinomialSums {
 public:
  /// log_values: at k = 0 .. the largest n; those at 0 and 1 are not used. Pre: 0 < rate, 0 < rest,
  /// at most kLargestRenyiOrder + 1 values.
  BinomialSums(double log_rate, double log_rest, const std::vector<double>& log_values);

  /// log of the sum, each term rounded up, to 1e-13. Pre: 2 <= n <= the largest.
  double log_sum(int64_t n) const;

 private:
  static constexpr Eigen::Index kBlock = 64;

  double log_weight(int64_t n, int64_t k) const;
  /// The logs of the terms of [first, last), each with room for its rounding.
  Eigen::ArrayXd terms(int64_t n, Eigen::Index first, Eigen::Index last) const;

  double log_rate_;
  double log_rest_;
  Eigen::ArrayXd log_values_;
  std::vector<double> largest_values_;  ///< of each block
};

/// An upper bound of the divergence at a fractional order from those at the two neighbouring
/// integers. The log moment (order - 1) D is convex in the order and 0 at order 1.
double interpolated_divergence(const std::function<double(int64_t)>& log_moment, double order);

}  // namespace equinoise
