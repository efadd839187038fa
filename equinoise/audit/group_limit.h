// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "equinoise/audit/disparity.h"
#include "equinoise/audit/limit_verdict.h"

namespace equinoise {

/// The check of whether groups are alike in one figure. Indices are into the list of groups.
struct GroupCheck {
  size_t lowest = 0;  ///< among the groups with the figure, as `highest`; see extremes_of
  size_t highest = 0;
  size_t num_known = 0;          ///< the number of groups with the figure
  std::vector<size_t> left_out;  ///< the others, such as groups with an empty denominator of a rate
  /// highest - lowest or lowest / highest, with an interval for the largest difference or the
  /// smallest ratio of any two of these groups. NaN if fewer than two have the figure, and for a
  /// ratio if all rates are 0.
  double value = std::numeric_limits<double>::quiet_NaN();
  Interval interval{value, value};
  /// The verdict of verdict_of(). Unless it fails, it is not answerable if a group with records
  /// lacks the figure: that group might be farther away.
  LimitVerdict verdict = LimitVerdict::kNotAnswerable;
};

/// Checks that any two groups differ by at most `max_difference`.
///
/// Each difference has its interval (difference()). By Bonferroni's inequality the intervals of its
/// groups are so wide that all pairs together aim at being right with 95 %; for two groups it is
/// that of Disparity. So the interval and the verdict allow for the choice of the extremes. Time:
/// the square of the number of groups.
GroupCheck check_difference(const MetricRow& metric, std::span<const Metrics> groups,
                            double max_difference);

/// Checks that the ratio of a rate between any two groups is at least `min_ratio`, such as 0.8 in
/// the four-fifths rule.
///
/// Each ratio has an interval made from the exact intervals of its two rates [ClopperPearson1934,
/// DonnerZou2012], because score intervals begin too high for a rare rate with a single success.
/// They are as wide as those of check_difference(), so that all together aim at 95 %, which is
/// computed for pairs of groups (group_limit_test), not proven. For weighted records intervals are
/// those of the rates' effective sizes [KornGraubard1998]. Rates of noisy counts have no such size
/// (metrics_of(PrivateRates)); their own intervals are widened.
///
/// Errors: kUsage for a metric that is no rate, or a limit outside (0, 1].
GroupCheck check_ratio(const MetricRow& metric, std::span<const Metrics> groups, double min_ratio);

}  // namespace equinoise
