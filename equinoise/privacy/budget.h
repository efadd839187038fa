// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "equinoise/privacy/accountants/rdp_orders.h"
#include "equinoise/privacy/neighbours.h"
#include "equinoise/privacy/units.h"

namespace equinoise {

/// A bound on the privacy loss of the members of one group of a partition, e.g. {"sex", "Female",
/// 1.5}, with the delta, the relation and the accountant of its account.
struct GroupCap {
  std::string partition;
  std::string group;
  Epsilon epsilon;
};

/// The budget of one dataset and its accounting rule. Both are fixed for the life of the account,
/// because the proofs do not cover a rule that is chosen after outputs were seen.
struct Budget {
  Epsilon epsilon;
  Delta delta;
  Relation relation;
  std::string accountant = "rdp";         ///< "rdp", "zcdp" or "pld": see account_cost.h
  std::vector<GroupCap> group_caps = {};  ///< each (partition, group) once
  /// A statement by the person who opens the account, which is not checked: nobody is in a
  /// different group of any partition in a later entry. Without it an entry costs as much as its
  /// costliest group pays; caps hold only with it.
  bool fixed_groups = false;
  /// The RDP orders from which the rule "rdp" takes the best; other rules ignore them.
  std::vector<double> rdp_orders = account_rdp_orders();
  /// The protected unit: "row", or the name of the column that identifies the owner of a row.
  std::string unit = kRowUnit;

  bool protects_rows() const { return unit == kRowUnit; }
};

/// "sex=Female:1.5": the partition before the first "=", epsilon after the last ":". Errors:
/// kUsage, showing the form.
GroupCap parse_group_cap(const std::string& text);

/// Errors: kUsage, naming the field, unless epsilon, delta and all caps are > 0, the accountant is
/// known, the unit, partitions and groups have names, no group has two caps, and there are 1 to
/// 10,000 RDP orders, rising, in (1, kLargestRenyiOrder].
void check_budget(const Budget& budget);

}  // namespace equinoise
