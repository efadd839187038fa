// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string_view>

#include "equinoise/audit/group_metrics.h"

namespace equinoise {

/// The verdict on a limit or a constraint.
enum class LimitVerdict { kHolds, kFails, kUnclear, kNotAnswerable };

/// The side of its limit on which a figure must lie.
enum class LimitSide { kAtMost, kAtLeast };

/// The one rule for verdicts. A limit holds if the whole interval of its figure is on the right
/// side, fails if the whole interval is on the wrong side, and is unclear in between. It is not
/// answerable if the end that would decide is undefined.
inline LimitVerdict verdict_of(const Interval& interval, double limit, LimitSide side) {
  const bool at_most = side == LimitSide::kAtMost;
  if (at_most ? interval.high <= limit : interval.low >= limit) return LimitVerdict::kHolds;
  if (at_most ? interval.low > limit : interval.high < limit) return LimitVerdict::kFails;
  const bool is_known = !std::isnan(interval.low) && !std::isnan(interval.high);
  return is_known ? LimitVerdict::kUnclear : LimitVerdict::kNotAnswerable;
}

/// "holds", "fails", "unclear", "not answerable".
constexpr std::string_view to_string(LimitVerdict verdict) {
  switch (verdict) {
    case LimitVerdict::kHolds:
      return "holds";
    case LimitVerdict::kFails:
      return "fails";
    case LimitVerdict::kUnclear:
      return "unclear";
    case LimitVerdict::kNotAnswerable:
      break;
  }
  return "not answerable";
}

}  // namespace equinoise
