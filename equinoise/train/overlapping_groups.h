// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/groups/grouping.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// Groups that overlap, as those of sex and those of race do: everybody is in one of each grouping.
/// Which groups somebody may be in at once is public: the intersections of all groupings, whatever
/// the table holds.
///
/// A method that knows groups is given the intersections, which are disjoint, so that its account
/// is that of disjoint groups. In group_weighted whoever is in an intersection counts as much as
/// its groups count on average, has gradients clipped to the least of their bounds, and pays for
/// that product: with bounds alike the sum of what its groups' terms let it change. dpse asks about
/// the groups themselves, and an intersection pays what its groups' answers cost together. A
/// group's guarantee is that of the costliest intersection in it.

/// The columns of all groupings, each once.
std::vector<std::string> columns_of_intersections(const std::vector<Grouping>& groupings);

/// `config` with weights, clips and epsilons for intersections instead of groups: the mean of the
/// weights, the least of the others. Errors: kUsage for a name that is no group of theirs, or of
/// several groupings.
TrainingConfig at_intersections(TrainingConfig config, const std::vector<Grouping>& groupings,
                                const Grouping& intersections);

/// The groups of all groupings, in that order, and those that each intersection is in.
OverlappingGroups overlapping_groups_of(const std::vector<Grouping>& groupings,
                                        const Grouping& intersections, int64_t num_records);

/// The intersections in group `group` of `grouping`.
std::vector<size_t> intersections_of(const Grouping& grouping, size_t group,
                                     const Grouping& intersections);

}  // namespace equinoise
