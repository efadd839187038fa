#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "equinoise/groups/group_outlook.h"
#include "equinoise/groups/grouping.h"
#include "equinoise/privacy/guarantee.h"

namespace equinoise {

/// A way to train for groups, what it gives them and what it costs them; from public facts.
struct GroupStrategy {
  std::string method;
  std::string options = {};  ///< of equinoise train that say the same, what was given among them
  std::vector<double> weights = {};          ///< (num_groups) as --group-weight; or empty
  std::vector<ExpectedError> expected = {};  ///< (num_groups)
  std::vector<Guarantee> privacy = {};  ///< (num_groups); empty: no budget gives what was asked for

  double largest_error() const {
    double largest = 0;
    for (const ExpectedError& error : expected) largest = std::max(largest, error.total());
    return largest;
  }
  double largest_epsilon() const {
    double largest = privacy.empty() ? std::numeric_limits<double>::infinity() : 0;
    for (const Guarantee& guarantee : privacy)
      largest = std::max(largest, guarantee.epsilon.value());
    return largest;
  }
  bool is_better_than(const GroupStrategy& other, bool by_epsilon) const {
    return by_epsilon ? largest_epsilon() < other.largest_epsilon()
                      : largest_error() < other.largest_error();
  }
};

/// What a share of the budget for dpse's stage one would give.
struct StageOnePart {
  double fraction = 0;
  double largest_error = 0;    ///< expected of any group
  double largest_epsilon = 0;  ///< infinite: no budget gives what was asked for
};

/// What `equinoise plan --per-group` says. Publishable.
struct GroupOutlookReport {
  double group_difference = 1;
  double residual_variance = 1;
  bool wants_epsilon = false;      ///< errors were asked for, epsilon was sought
  std::vector<GroupLabel> groups;  ///< (num_groups) that are compared
  std::vector<GroupStrategy> strategies;
  size_t best = 0;                            ///< of them
  std::vector<StageOnePart> stage_one_parts;  ///< where dpse's split needs one
};

}  // namespace equinoise
