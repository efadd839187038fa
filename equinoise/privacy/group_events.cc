// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/group_events.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "equinoise/base/lists.h"

namespace equinoise {

namespace {

bool names(const Event& event, const std::string& group) {
  const std::vector<std::string>& groups = event.group_names();
  return contains(groups, group);
}

/// The part of the event that concerns the group's members; empty if it does not depend on their
/// records.
std::optional<Event> event_of_group(const Event& event, const std::string& partition,
                                    const std::string& group) {
  if (event.kind() == Event::Kind::kRowsOfUnit) return event;
  std::vector<Event> children;
  const bool parallel = event.kind() == Event::Kind::kParallel;
  const bool own_partition = parallel && event.partition() == partition && names(event, group);
  bool is_seen = event.events().empty();
  for (size_t i = 0; i < event.events().size(); ++i) {
    if (own_partition && event.group_names()[i] != group) continue;
    std::optional<Event> child = event_of_group(event.events()[i], partition, group);
    is_seen = is_seen || child;
    if (child) {
      children.push_back(std::move(*child));
    } else if (parallel && !own_partition) {
      children.push_back(Event::composed({}));  // a partition keeps its list of groups
    }
  }
  if (!is_seen) return std::nullopt;
  if (own_partition) return std::move(children[0]);
  if (children.empty() && event.kind() == Event::Kind::kComposed) return std::nullopt;
  return event.with_events(std::move(children));
}

bool is_nothing(const Event& event) {
  return event.kind() == Event::Kind::kComposed && event.events().empty();
}

bool has_groups(const Event& event) {
  if (event.kind() == Event::Kind::kRowsOfUnit) return false;
  return event.kind() == Event::Kind::kParallel || std::ranges::any_of(event.events(), has_groups);
}

}  // namespace

std::vector<Event> events_of_group(const std::vector<Event>& events, const std::string& partition,
                                   const std::string& group) {
  std::vector<Event> seen;
  for (const Event& event : events) {
    std::optional<Event> part = event_of_group(event, partition, group);
    if (part) seen.push_back(std::move(*part));
  }
  return seen;
}

Event groups_apart(const Event& event, const std::string& label) {
  if (event.events().empty() || event.kind() == Event::Kind::kRowsOfUnit) return event;
  std::vector<Event> children;
  children.reserve(event.events().size());
  for (const Event& child : event.events()) children.push_back(groups_apart(child, label));
  if (event.kind() != Event::Kind::kParallel) return event.with_events(std::move(children));
  std::vector<Event> paid;
  std::remove_copy_if(children.begin(), children.end(), std::back_inserter(paid), is_nothing);
  if (paid.empty()) return Event::composed({});
  if (std::ranges::all_of(paid, [&](const Event& one) { return one == paid[0]; })) return paid[0];
  return Event::parallel(label + event.partition(), event.group_names(), std::move(children));
}

bool groups_pay_apart(const std::vector<Event>& events) {
  return std::ranges::any_of(
      events, [](const Event& event) { return has_groups(groups_apart(event, "")); });
}

std::string partition_title(const std::string& partition) {
  constexpr size_t kNumDigits = 16;
  const size_t mark = partition.rfind('#');
  const bool has_digest =
      mark != partition.npos && partition.size() - mark - 1 == kNumDigits &&
      partition.find_first_not_of("0123456789abcdef", mark + 1) == partition.npos;
  return has_digest ? partition.substr(0, mark) : partition;
}

std::set<std::string> partitions_with_group(const std::vector<Event>& events,
                                            const std::string& title, const std::string& group) {
  std::set<std::string> found;
  for (const Event& event : events) {
    const std::string& partition = event.partition();
    if (event.kind() == Event::Kind::kParallel && names(event, group) &&
        partition_title(partition) == title) {
      found.insert(partition);
    }
    found.merge(partitions_with_group(event.events(), title, group));
  }
  return found;
}

}  // namespace equinoise
