// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <string_view>

#include "equinoise/audit/group_metrics.h"

namespace equinoise {

/// Whether what was asked for is kept, of limits and constraints alike.
enum class LimitVerdict { kHolds, kFails, kUnclear, kNotAnswerable };

/// On which side of its limit a figure must lie.
enum class LimitSide { kAtMost, kAtLeast };

/// The one rule for verdicts. A limit holds where the whole interval of its figure is on the right
/// side, fails where the whole interval is on the other one, and is unclear in between. Without an
/// end that would decide it is not answerable.
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
