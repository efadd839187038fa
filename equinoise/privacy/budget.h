// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/privacy/accountants/rdp_orders.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// A bound on what members of one group of a partition may lose, e.g. {"sex", "Female", 1.5}; at
/// the delta, under the relation and by the accountant of the account that it belongs to.
struct GroupCap {
  std::string partition;
  std::string group;
  Epsilon epsilon;
};

/// The budget of one dataset and how it is kept: all of it is fixed for the life of the account,
/// because a rule that is chosen after outputs were seen is not the rule that was proven.
struct Budget {
  Epsilon epsilon;
  Delta delta;
  Relation relation;
  std::string accountant = "rdp";         ///< "rdp", "zcdp" or "pld": see account_cost.h
  std::vector<GroupCap> group_caps = {};  ///< each (partition, group) once
  /// A statement of who opens the account, which nothing checks: nobody's group of any partition is
  /// another one in a later entry. Without it an entry costs what its costliest group pays; caps
  /// hold with it alone.
  bool fixed_groups = false;
  /// What an account that is kept by rdp takes the best of; others do not look at them.
  std::vector<double> rdp_orders = account_rdp_orders();
};

/// "sex=Female:1.5": the partition before the first "=", epsilon behind the last ":".
/// Errors: kUsage, showing the form.
GroupCap parse_group_cap(const std::string& text);

/// Errors: kUsage, naming the field, unless epsilon, delta and all caps are > 0, the accountant is
/// known, partitions and groups have names, no group has two caps, and there are 1 to 10,000 orders
/// of RDP, rising, in (1, kLargestRenyiOrder].
void check_budget(const Budget& budget);

}  // namespace equinoise
