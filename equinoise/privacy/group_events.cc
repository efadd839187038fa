#include "equinoise/privacy/group_events.h"

#include <algorithm>
#include <optional>

namespace equinoise {

namespace {

bool names(const Event& event, const std::string& group) {
  const std::vector<std::string>& groups = event.group_names();
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

/// The event as the group's members see it; nothing if it does not depend on their records.
std::optional<Event> event_of_group(const Event& event, const std::string& partition,
                                    const std::string& group) {
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
  switch (event.kind()) {
    case Event::Kind::kRepeat:
      return Event::repeat(event.count(), std::move(children[0]));
    case Event::Kind::kComposed:
      if (children.empty()) return std::nullopt;
      return Event::composed(std::move(children));
    case Event::Kind::kParallel:
      if (own_partition) return std::move(children[0]);
      return Event::parallel(event.partition(), event.group_names(), std::move(children));
    case Event::Kind::kPoissonSampled:
      return Event::poisson_sampled(event.sample_rate(), std::move(children));
    case Event::Kind::kSampledWithoutReplacement:
      return Event::sampled_without_replacement(event.sample_rate(), std::move(children));
    case Event::Kind::kRepeatAndSelect:
      return Event::repeat_and_select(event.mean(), event.shape(), std::move(children[0]));
    case Event::Kind::kGaussian:
    case Event::Kind::kLaplace:
    case Event::Kind::kDiscreteGaussian:
    case Event::Kind::kDiscreteLaplace:
    case Event::Kind::kExponential:
    case Event::Kind::kRandomisedResponse:
    case Event::Kind::kTreeAggregation:
    case Event::Kind::kPure:
    case Event::Kind::kApproxDp:
    case Event::Kind::kZcdp:
    case Event::Kind::kSamplerError:
      break;
  }
  return event;
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
