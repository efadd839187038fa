// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// The group names of each partition that parallel events refer to. Costs add up by group name, so
/// groups that changed their names would count as other people. Each partition therefore has one
/// list of groups.
class Partitions {
 public:
  /// Records each kParallel of `event`, however deep, except those in rows of a unit, where groups
  /// are not separated. Errors: kUsage, naming `where`, the partition and both lists, if an event
  /// lists other groups for a known partition.
  void add(std::string_view where, const Event& event);

  /// partition -> its groups, sorted
  const std::map<std::string, std::vector<std::string>>& groups() const { return groups_; }

 private:
  std::map<std::string, std::vector<std::string>> groups_;
};

}  // namespace equinoise
