// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "equinoise/tasks/train/train.h"

namespace equinoise {

/// What `equinoise plan --per-group` assumes and is asked for beside the run itself. Public.
struct GroupPlanningRequest {
  /// OutlookFacts, as the next; empty: nobody answers for it, so that a ranking must hold for all.
  std::optional<double> group_difference;
  std::optional<double> residual_variance;
  std::optional<double> largest_error;         ///< that any group may have; then epsilon follows
  std::map<std::string, double> group_errors;  ///< instead, for groups by name
};

/// The request without what only groups that pay apart, or that overlap, can honour, unless its
/// method is one of these: a plan that groups are compared beside.
TrainRequest without_group_costs(TrainRequest request);

/// Adds to the plan what each way to treat groups would cost and give each group of the first
/// grouping: one model with records alike, groups alike, weights between the two, and a model for
/// each group. Of groups that overlap, those of all groupings, without the last, and dpse where the
/// sizes that it needs are declared. From public facts alone; nothing is read or spent. Errors: as
/// plan_training; kUsage where there are no groups or a public size is missing, of groups or where
/// they overlap of intersections.
void plan_groups(const TrainRequest& request, const GroupPlanningRequest& planning,
                 TrainingReport& report);

}  // namespace equinoise
