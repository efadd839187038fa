// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/privacy/event.h"

namespace equinoise {

/// The divisions into groups that events in parallel refer to.
///
/// Costs of the same group add up by name, so a division whose groups change their names would be
/// counted as if its people were others: one partition has one list of groups.
class Partitions {
 public:
  /// Takes in each kParallel of `event`, however deep, but for those of rows of a unit, whose
  /// groups are not told apart. Errors: kUsage, naming `where`, the partition and both lists, if
  /// one names other groups of a partition than are known.
  void add(std::string_view where, const Event& event);

  /// partition -> its groups, sorted
  const std::map<std::string, std::vector<std::string>>& groups() const { return groups_; }

 private:
  std::map<std::string, std::vector<std::string>> groups_;
};

}  // namespace equinoise
