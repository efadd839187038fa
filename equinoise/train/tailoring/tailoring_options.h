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

/// What the user chooses of budget tailoring (dpse). Every field is public.
struct TailoringOptions {
  SplitRule split = SplitRule::kUniform;
  double max_share = 1;                      ///< no group has more of the budget than this
  std::map<std::string, double> max_shares;  ///< instead, for groups by name
  double stage_one_fraction = 0.2;  ///< of the budget, where the split needs errors of groups
  double feature_norm_bound = 4;    ///< of (x, 1) and of the target in stage one of linear models
  double residual_clip = 2;         ///< of residuals in stage one
  /// What is made of the losses of groups and made small: a GroupFunction. Of several one is
  /// chosen.
  std::vector<std::string> objectives = {"population"};
  /// What is made of them and kept at loss_bound or below: another one.
  std::string loss_constraint = "largest";
  /// What that counts where it is not kept; 0: nothing. Of several one is chosen.
  std::vector<double> loss_multipliers = {0};
  std::optional<double> mean_runs;  ///< of such a choice [2 for each of what it is among]
  double loss_bound = 0;            ///< in units of clipped losses
  double loss_clip = 1;
  double box = 5;  ///< parameters stay within [-box, box]
};

/// Whether methods that divide the budget among groups train models of that name: linear ones with
/// one score and a smooth loss.
bool trains_tailored(std::string_view model);

/// Of methods that divide the budget among groups.
const TrainingOptions& split_options();

/// Of methods under bounded group loss.
const TrainingOptions& group_loss_options();

/// Of methods whose constraint on losses may be another than the largest.
const TrainingOptions& group_constraint_options();

/// Of methods that clip the losses of bounded group loss.
const TrainingOptions& group_loss_clip_options();

/// Of methods that add up gradients of groups in more than one way.
const TrainingOptions& group_objective_options();

/// Of methods that choose among several runs.
const TrainingOptions& mean_runs_options();

}  // namespace equinoise
