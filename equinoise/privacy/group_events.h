#pragma once

#include <string>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// What `events` mean for the members of one group of a partition: from each kParallel of that
/// partition, however deep, only the group's own event is left, and nothing where the event does
/// not name the group. Everything else stays; of other partitions, whose groups the members may
/// belong to, accountants take the costliest group.
///
/// Guarantee: for two tables that differ in a record of the group, the result bounds whatever
/// `events` bounds: no draw that was left out depends on that record. This is so for an event in a
/// batch or a selection as well, because neither the batch nor the number of runs depends on
/// records. Edge cases: empty if the group is touched by nothing.
std::vector<Event> events_of_group(const std::vector<Event>& events, const std::string& partition,
                                   const std::string& group);

/// Whether a kParallel of that partition, however deep, names the group.
bool names_group(const std::vector<Event>& events, const std::string& partition,
                 const std::string& group);

}  // namespace equinoise
