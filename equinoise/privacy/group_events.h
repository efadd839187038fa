// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// What `events` mean for the members of one group of a partition: from each kParallel of that
/// partition, however deep, that names the group only its own event is left. Everything else stays;
/// where the members may belong to any group (other partitions, lists that do not name this one)
/// accountants take the costliest. Of rows of a unit (Event::rows_of_unit) all groups stay: a unit
/// that is a member of one may have rows in others.
///
/// Guarantee: for two tables that differ in a record of the group, the result bounds whatever
/// `events` bounds: no draw that was left out depends on that record. This is so for an event in a
/// batch or a selection as well, because neither the batch nor the number of runs depends on
/// records. Edge cases: empty if the group is touched by nothing.
std::vector<Event> events_of_group(const std::vector<Event>& events, const std::string& partition,
                                   const std::string& group);

/// `event` as a release whose groups are shared with no other release: each kParallel in it,
/// however deep, gets `label` before the name of its partition, and one whose groups all pay the
/// same, or nothing, is replaced by what they pay. Groups of rows of a unit are never told apart
/// and stay as they are.
///
/// Guarantee: costs as much as `event` does for a record that is in one group of each partition.
/// With a label that no other release has, nothing is assumed about groups in other releases: a
/// record may be in the costliest group of each.
Event groups_apart(const Event& event, const std::string& label);

/// Whether members of different groups pay differently for any of `events`.
bool groups_pay_apart(const std::vector<Event>& events);

/// A partition's name without the digest of how it divides: "sex" of "sex#1f2e3d4c5b6a7988", which
/// are 16 hexadecimal digits.
std::string partition_title(const std::string& partition);

/// The partitions of that title that list the group in a kParallel of `events`, however deep;
/// ascending, each once. Two of them are two divisions, whose groups of that name may hold other
/// people.
std::set<std::string> partitions_with_group(const std::vector<Event>& events,
                                            const std::string& title, const std::string& group);

}  // namespace equinoise
