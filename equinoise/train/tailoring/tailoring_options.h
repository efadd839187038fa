// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "equinoise/train/tailoring/budget_split.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// A user's choices for budget tailoring (dpse). Every field is public.
struct TailoringOptions {
  SplitRule split = SplitRule::kUniform;
  double max_share = 1;                      ///< the largest share of a group in the budget
  std::map<std::string, double> max_shares;  ///< instead, for groups by name
  double stage_one_fraction = 0.2;           ///< of the budget, if the split needs errors of groups
  double feature_norm_bound = 4;  ///< of (x, 1) and of the target in stage one of linear models
  double residual_clip = 2;       ///< of residuals in stage one
  /// The functions of the groups' losses to minimise (GroupFunction). One of several is chosen.
  std::vector<std::string> objectives = {"population"};
  /// The function of the groups' losses to keep at loss_bound or below.
  std::string loss_constraint = "largest";
  /// The weights of that constraint where it is violated; 0: none. One of several is chosen.
  std::vector<double> loss_multipliers = {0};
  std::optional<double> mean_runs;  ///< of such a choice [2 for each candidate]
  double loss_bound = 0;            ///< in units of clipped losses
  double loss_clip = 1;
  double box = 5;  ///< parameters stay within [-box, box]
};

/// Whether methods that divide the budget among groups train models of that name: linear ones with
/// one score and a smooth loss.
bool trains_tailored(std::string_view model);

/// Options of methods that divide the budget among groups.
const TrainingOptions& split_options();

/// Options of methods that follow the losses of groups, among which each has its own by name: the
/// constraint on them, the objective, their clip, and a choice among several runs.
const TrainingOptions& group_loss_options();

}  // namespace equinoise
