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

/// Of one figure of each group; groups whose value is not finite have none. Two different groups
/// wherever two have it, so that a difference is never that of a group with itself; of those that
/// tie at an end the one with the widest interval, where an undefined one is the widest, so that
/// the interval of the difference does not leave out whom least is known of. Where all tie, the
/// lowest is the one of the two that may lie farther below the other. {0, 0} where no group has it.
Extremes extremes_of(std::span<const Estimate> groups);

}  // namespace equinoise
