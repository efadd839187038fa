// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace equinoise {

/// The groups that a person may be in at once: public, defined by the meaning of groups, never
/// looked up in the records.
class Membership {
 public:
  /// At most one group.
  static Membership disjoint(size_t num_groups);
  /// Any number of groups.
  static Membership any(size_t num_groups);
  /// Exactly these groups, or fewer of them: sex and race have patterns of two groups out of seven.
  /// Errors: kUsage for a pattern that names a group twice or an unknown one, and for a group
  /// without a pattern.
  static Membership patterns(size_t num_groups, std::vector<std::vector<size_t>> patterns);

  size_t num_groups() const { return num_groups_; }

  /// The largest number of groups that a person may be in.
  size_t most_groups() const;

  /// The largest cost to a record of releases about single groups: the largest sum over a pattern.
  /// For disjoint groups it is the largest cost. Errors: kUsage unless there is one cost for each
  /// group, none below 0.
  double worst_cost(std::span<const double> group_costs) const;

 private:
  Membership(size_t num_groups, std::vector<std::vector<size_t>> patterns);

  size_t num_groups_;
  std::vector<std::vector<size_t>> patterns_;
};

}  // namespace equinoise
