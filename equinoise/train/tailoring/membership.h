// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace equinoise {

/// Which groups a person may be in at once: public, a matter of what groups mean, never looked up
/// in the records.
class Membership {
 public:
  /// In one group at most.
  static Membership disjoint(size_t num_groups);
  /// In any number of them.
  static Membership any(size_t num_groups);
  /// In exactly these, or fewer of them: sex and race have patterns of two groups of seven. Errors:
  /// kUsage for a pattern that names a group twice or one that there is not, and for a group that
  /// is in none.
  static Membership patterns(size_t num_groups, std::vector<std::vector<size_t>> patterns);

  size_t num_groups() const { return num_groups_; }

  /// How many groups a person may be in at most.
  size_t most_groups() const;

  /// The largest cost to a record of releases about single groups: the largest sum over a pattern.
  /// In disjoint groups that is the largest cost. Errors: kUsage unless there is one cost for each
  /// group, none below 0.
  double worst_cost(std::span<const double> group_costs) const;

 private:
  Membership(size_t num_groups, std::vector<std::vector<size_t>> patterns);

  size_t num_groups_;
  std::vector<std::vector<size_t>> patterns_;
};

}  // namespace equinoise
