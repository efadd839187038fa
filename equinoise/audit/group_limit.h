// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "equinoise/audit/disparity.h"
#include "equinoise/audit/limit_verdict.h"

namespace equinoise {

/// Whether groups are alike in one figure. Indices are into the list of groups.
struct GroupCheck {
  size_t lowest = 0;  ///< of the groups that have the figure, as `highest`; see extremes_of
  size_t highest = 0;
  size_t num_known = 0;          ///< so many groups have the figure
  std::vector<size_t> left_out;  ///< the others, as of a rate those with an empty denominator
  /// highest - lowest or lowest / highest, with an interval for the largest difference or the
  /// smallest ratio of any two of these groups. NaN where fewer than two have the figure, and of a
  /// ratio where all rates are 0.
  double value = std::numeric_limits<double>::quiet_NaN();
  Interval interval{value, value};
  /// By verdict_of(). Unless it fails it is not answerable where a group that has records lacks the
  /// figure: that one might be farther away.
  LimitVerdict verdict = LimitVerdict::kNotAnswerable;
};

/// Checks that any two groups differ by at most `max_difference`.
///
/// Each difference has its interval (difference()), from intervals of its groups that are so wide,
/// by Bonferroni's inequality, that all pairs together aim at being right with 95 %: of two groups
/// it is that of Disparity. So it allows for the picking of the extremes, and so does the verdict.
/// Time: the square of the number of groups.
GroupCheck check_difference(const MetricRow& metric, std::span<const Metrics> groups,
                            double max_difference);

/// Checks that the ratio of a rate between any two groups is at least `min_ratio`, as the
/// four-fifths rule asks of 0.8.
///
/// Each ratio has an interval made from the exact intervals of its two rates [ClopperPearson1934,
/// DonnerZou2012]: score intervals begin too high where a rare rate has a single success. They are
/// as wide as those of check_difference(), so that all together aim at 95 %, which is computed for
/// pairs of groups (group_limit_test), not proven. Of weighted records intervals are those of the
/// rates' effective sizes [KornGraubard1998].
///
/// Errors: kUsage for a metric that is no rate, or a limit outside (0, 1].
GroupCheck check_ratio(const MetricRow& metric, std::span<const Metrics> groups, double min_ratio);

}  // namespace equinoise
