// SPDX-License-Identifier: Apache-2.0
#include "equinoise/tables/intervals.h"

#include <algorithm>
#include <cmath>

namespace equinoise {

std::optional<Interval> quotient_interval(const NoisyNumber& above, const NoisyNumber& below,
                                          double covariance, double z) {
  // The r with (above - r below)^2 <= z^2 (variance of it), a quadratic in r.
  const double squared = z * z;
  const double a = below.value * below.value - squared * below.variance;
  const double b = above.value * below.value - squared * covariance;
  if (!(a > 0 && below.value > 0)) return std::nullopt;
  // b^2 - a c without the products of all values, next to which noise loses its digits.
  const double of_values = above.value * above.value * below.variance +
                           below.value * below.value * above.variance -
                           2 * above.value * below.value * covariance;
  const double of_noise = above.variance * below.variance - covariance * covariance;
  const double root = std::sqrt(std::max(squared * (of_values - squared * of_noise), 0.0));
  return Interval{(b - root) / a, (b + root) / a};
}

Spread difference(const Spread& first, const Spread& second) {
  const double estimate = first.estimate - second.estimate;
  const double down =
      std::hypot(first.estimate - first.interval.low, second.interval.high - second.estimate);
  const double up =
      std::hypot(first.interval.high - first.estimate, second.estimate - second.interval.low);
  return {estimate, {estimate - down, estimate + up}};
}

std::optional<Spread> quotient(const Spread& first, const Spread& second, DifferenceRule rule) {
  if (!(first.interval.low > 0 && second.interval.low > 0)) return std::nullopt;
  const auto logarithm = [](const Spread& of) {
    return Spread{std::log(of.estimate), {std::log(of.interval.low), std::log(of.interval.high)}};
  };
  const Spread of = rule(logarithm(first), logarithm(second));
  return Spread{std::exp(of.estimate), {std::exp(of.interval.low), std::exp(of.interval.high)}};
}

Spread farthest_difference(const Spread& first, const Spread& second) {
  return {first.estimate - second.estimate,
          {first.interval.low - second.interval.high, first.interval.high - second.interval.low}};
}

std::vector<Ranks> possible_ranks(std::span<const Interval> intervals) {
  std::vector<Ranks> ranks;
  for (const Interval& one : intervals) {
    const auto num_below = std::ranges::count_if(
        intervals, [&](const Interval& other) { return other.high < one.low; });
    const auto num_above = std::ranges::count_if(
        intervals, [&](const Interval& other) { return other.low > one.high; });
    ranks.push_back(
        {static_cast<size_t>(num_below) + 1, intervals.size() - static_cast<size_t>(num_above)});
  }
  return ranks;
}

}  // namespace equinoise
