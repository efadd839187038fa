// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "equinoise/groups/grouping.h"
#include "equinoise/report/fields.h"

namespace equinoise {

/// The groups with the lowest and the highest value of a figure; both empty if there is no
/// difference.
struct GroupExtremes {
  std::optional<GroupLabel> lowest = {};
  std::optional<GroupLabel> highest = {};
  std::vector<GroupLabel> left_out = {};
};

template <>
inline constexpr auto fields_of<GroupExtremes> =
    std::tuple(field("lowest", &GroupExtremes::lowest, "Group with the least"),
               field("highest", &GroupExtremes::highest, "Group with the most"),
               field("left_out", &GroupExtremes::left_out, "Groups that do not have the figure"));

/// `found` has indices into `groups`.
template <typename Found>
GroupExtremes extremes_in(const std::vector<GroupLabel>& groups, const Found& found,
                          bool is_defined) {
  GroupExtremes extremes;
  for (const size_t group : found.left_out) extremes.left_out.push_back(groups[group]);
  if (!is_defined) return extremes;
  extremes.lowest = groups[found.lowest];
  extremes.highest = groups[found.highest];
  return extremes;
}

}  // namespace equinoise
