// SPDX-License-Identifier: Apache-2.0
#include "equinoise/audit/extremes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace equinoise {

namespace {

double width_of(const Estimate& estimate) {
  const double width = estimate.interval.high - estimate.interval.low;
  return std::isnan(width) ? std::numeric_limits<double>::infinity() : width;
}

/// The largest distance of `lower` below `upper` that their intervals allow; both values are equal.
double reach(const Estimate& lower, const Estimate& upper) {
  return std::hypot(lower.value - lower.interval.low, upper.interval.high - upper.value);
}

}  // namespace

Extremes extremes_of(std::span<const Estimate> groups) {
  std::optional<size_t> lowest;
  std::optional<size_t> highest;
  const auto is_wider = [&](size_t group, size_t than) {
    return groups[group].value == groups[than].value &&
           width_of(groups[group]) > width_of(groups[than]);
  };
  for (size_t group = 0; group < groups.size(); ++group) {
    const double value = groups[group].value;
    if (!std::isfinite(value)) continue;
    if (!lowest || value < groups[*lowest].value || is_wider(group, *lowest)) lowest = group;
    if (!highest || value > groups[*highest].value || is_wider(group, *highest)) highest = group;
  }
  if (!lowest) return {};
  if (*lowest != *highest) return {*lowest, *highest};
  // All values are equal, and the other group is the second widest.
  std::optional<size_t> other;
  for (size_t group = 0; group < groups.size(); ++group) {
    if (group == *lowest || !std::isfinite(groups[group].value)) continue;
    if (!other || is_wider(group, *other)) other = group;
  }
  if (!other) return {*lowest, *lowest};
  const size_t first = std::min(*lowest, *other);
  const size_t second = std::max(*lowest, *other);
  const bool is_turned =
      reach(groups[second], groups[first]) > reach(groups[first], groups[second]);
  return is_turned ? Extremes{second, first} : Extremes{first, second};
}

}  // namespace equinoise
