// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "equinoise/groups/grouping.h"
#include "equinoise/train/plan.h"

namespace equinoise {

/// Groups that overlap, such as those of sex and those of race: each person is in one group of each
/// grouping. The possible combinations are public: the intersections of all groupings, whether or
/// not the table contains them.
///
/// A method that knows groups receives the intersections, which are disjoint, so that its account
/// is that of disjoint groups. In group_weighted a member of an intersection has the mean weight of
/// its groups, and gradients clipped to the least of their bounds; it pays for the product. With
/// equal bounds that is the sum of its groups' allowed changes. dpse asks about the groups
/// themselves, and an intersection pays for the answers of all of its groups together. A group's
/// guarantee is that of its costliest intersection.

/// The columns of all groupings, each once.
std::vector<std::string> columns_of_intersections(const std::vector<Grouping>& groupings);

/// `config` with weights, clips and epsilons per intersection instead of per group: the mean of the
/// weights, the least of the others. Errors: kUsage for a name that is not a group, or that several
/// groupings have.
TrainingConfig at_intersections(TrainingConfig config, const std::vector<Grouping>& groupings,
                                const Grouping& intersections);

/// The groups of all groupings, in that order, and the groups that each intersection is in.
OverlappingGroups overlapping_groups_of(const std::vector<Grouping>& groupings,
                                        const Grouping& intersections, int64_t num_records);

/// The intersections in group `group` of `grouping`.
std::vector<size_t> intersections_of(const Grouping& grouping, size_t group,
                                     const Grouping& intersections);

}  // namespace equinoise
