// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "equinoise/audit/group_metrics.h"

namespace equinoise {

/// The groups between which a figure differs most, as indices.
struct Extremes {
  size_t lowest = 0;
  size_t highest = 0;
};

/// The extremes of one figure over groups; groups with a value that is not finite are ignored. If
/// two groups have the figure, the extremes are two different groups, so that a difference is never
/// that of a group with itself. Among groups with equal values at an end, the one with the widest
/// interval is taken, where an undefined interval is the widest. So the interval of the difference
/// covers the least known group. If all values are equal, the lowest is the one of the two that may
/// lie farther below the other. {0, 0} if no group has the figure.
Extremes extremes_of(std::span<const Estimate> groups);

}  // namespace equinoise
