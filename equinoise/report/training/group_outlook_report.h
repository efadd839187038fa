// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
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
  /// Why nothing follows from the expected errors: noise may decide what the model says. Such a
  /// strategy has no rank.
  std::optional<std::string> noise_warning = {};
  /// Of a method that lowers the largest loss itself, whatever is not public: the part of the
  /// learning rate that its noise allows. Empty for others, and where that is not known.
  std::optional<double> part_of_rate = {};

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

/// What of the assumptions is not public, and how far a ranking holds.
struct OutlookRanges {
  struct Range {
    double least = 0;
    double most = 0;
  };
  Range group_difference;
  Range residual_variance;
  Range curvature;
};

/// A range of group differences, and what ranks first there, under the other assumptions.
struct RankedRange {
  double from = 0;
  double to = 0;
  std::string method;
};

/// What `equinoise plan --per-group` says. Publishable.
struct GroupOutlookReport {
  double group_difference = 1;  ///< of the expected errors that are shown
  double residual_variance = 1;
  bool is_difference_given = false;  ///< the user has stated it
  OutlookRanges ranges;              ///< what the ranking was computed for
  std::vector<RankedRange> ranking;  ///< by group difference; empty where epsilon is sought
  /// What changes the ranking within `ranges`; empty: `best` ranks first everywhere.
  std::vector<std::string> open_assumptions;
  bool wants_epsilon = false;      ///< errors were asked for, epsilon was sought
  std::vector<GroupLabel> groups;  ///< (num_groups) that are compared
  std::vector<GroupStrategy> strategies;
  /// Of them, what is recommended: dpsgd, unless another one ranks first throughout, or one that
  /// lowers the largest loss itself has little noise.
  size_t best = 0;
  std::vector<StageOnePart> stage_one_parts;  ///< where dpse's split needs one
};

}  // namespace equinoise
