// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// The part of `events` that concerns the members of one group of a partition. Each kParallel of
/// that partition, however deep, that names the group is replaced by the group's own event.
/// Everything else stays. Members may belong to any group of other partitions, and of lists that do
/// not name this group; there accountants take the costliest. Rows of a unit (Event::rows_of_unit)
/// keep all groups, because a unit that is a member of one may have rows in others.
///
/// Guarantee: for two tables that differ in a record of the group, the result bounds everything
/// that `events` bounds, because no omitted draw depends on that record. This also holds for an
/// event in a batch or a selection, because neither the batch nor the number of runs depends on
/// records. Edge cases: empty if no event depends on the group's records.
std::vector<Event> events_of_group(const std::vector<Event>& events, const std::string& partition,
                                   const std::string& group);

/// `event` as a release that shares no groups with any other release. Each kParallel in it, however
/// deep, gets `label` before the name of its partition. A kParallel whose groups all pay the same,
/// or nothing, is replaced by that one payment. Groups in rows of a unit are never separated and
/// stay unchanged.
///
/// Guarantee: costs as much as `event` does for a record that is in one group of each partition.
/// With a label that no other release has, nothing is assumed about groups in other releases: a
/// record may be in the costliest group of each.
Event groups_apart(const Event& event, const std::string& label);

/// Returns whether members of different groups pay differently for any of `events`.
bool groups_pay_apart(const std::vector<Event>& events);

/// A partition's name without the digest of its division: "sex" for "sex#1f2e3d4c5b6a7988", with 16
/// hexadecimal digits.
std::string partition_title(const std::string& partition);

/// The partitions with that title that list the group in a kParallel of `events`, however deep;
/// ascending, each once. Two of them are two divisions, whose groups of that name may hold
/// different people.
std::set<std::string> partitions_with_group(const std::vector<Event>& events,
                                            const std::string& title, const std::string& group);

}  // namespace equinoise
