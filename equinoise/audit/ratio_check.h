// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "equinoise/audit/disparity.h"

namespace equinoise {

/// Whether the rates of groups are alike as a ratio, as by the four-fifths rule, which asks that no
/// group is selected at less than 0.8 of the rate of another. Indices are into the list of groups.
struct RatioCheck {
  size_t lowest = 0;  ///< of the groups that have the rate, as `highest`; see extremes_of
  size_t highest = 0;
  size_t num_known = 0;          ///< so many groups have the rate
  std::vector<size_t> left_out;  ///< nobody is in the denominator of their rate
  /// lowest / highest, with an interval for the smallest ratio of any two of these groups. NaN
  /// where fewer than two have the rate, or all rates are 0.
  double value = std::numeric_limits<double>::quiet_NaN();
  Interval interval{value, value};
  LimitVerdict verdict = LimitVerdict::kUndefined;
};

/// Checks that the ratio of a rate between any two groups is at least `min_ratio`.
///
/// Each ratio has an interval made from the exact intervals of its two rates [ClopperPearson1934,
/// DonnerZou2012]: score intervals begin too high where a rare rate has a single success. They are
/// so wide, by Bonferroni's inequality, that all of them together aim at being right with 95 %,
/// which is computed for pairs of groups (ratio_check_test), not proven; so is a verdict by them,
/// whichever groups turn out to be the extremes. It holds where no interval goes below the limit,
/// fails where one lies below it as a whole, and is unclear otherwise. It is undefined where the
/// ratio is, or where it does not fail by the others and a group that has records lacks the rate.
/// Of weighted records intervals are those of the rates' effective sizes [KornGraubard1998].
/// Time: the square of the number of groups.
///
/// Errors: kUsage for a metric that is no rate, or a limit outside (0, 1].
RatioCheck check_ratio(const MetricRow& metric, std::span<const Metrics> groups, double min_ratio);

}  // namespace equinoise
