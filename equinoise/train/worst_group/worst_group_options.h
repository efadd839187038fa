// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>

#include "equinoise/base/enum_words.h"
#include "equinoise/train/training_options.h"

namespace equinoise {

/// The mechanism by which ags chooses the group of a step.
enum class GroupSelection {
  kGumbel,   ///< the exponential mechanism
  kLaplace,  ///< the largest noisy loss
};
inline constexpr EnumWords<GroupSelection, 2> kGroupSelections = {
    {{GroupSelection::kGumbel, "gumbel"}, {GroupSelection::kLaplace, "laplace"}}};

/// The online learner of oco_exp3.
enum class OnlineRule {
  kTree,     ///< DP-FTRL: noise by tree aggregation
  kDescent,  ///< noise for each gradient
};
inline constexpr EnumWords<OnlineRule, 2> kOnlineRules = {
    {{OnlineRule::kTree, "tree"}, {OnlineRule::kDescent, "descent"}}};

inline constexpr double kNoRadius = std::numeric_limits<double>::infinity();

/// A user's choices for worst-group training (mgr_w, mgr, ags, phased_erm, oco_exp3). Every field
/// is public.
struct WorstGroupOptions {
  /// The limit of a record's loss for the weights of groups [as loss_bound_of()].
  std::optional<double> loss_bound;
  /// The learning rate of these weights [sqrt(8 ln(groups) / steps) / loss_bound].
  std::optional<double> group_learning_rate;
  double loss_share = 0.2;  ///< of the budget, for noisy losses or choices
  /// The expected number of records of the smallest group in a batch, instead of batch_size.
  std::optional<double> group_batch_size;
  /// The size below which mgr_w, mgr and ags train groups as one [none, or the least size at which
  /// noise does not dominate]. By public sizes, before the method sees its groups.
  std::optional<double> pool_below;
  /// The radius of the ball that holds the parameters [kNoRadius; for minimax 1000].
  std::optional<double> radius;
  GroupSelection selection = GroupSelection::kGumbel;  ///< of ags
  double phase_step = 0.003;                           ///< eta of phased_erm
  double feature_bound = 4;               ///< of |(x, 1)| in phased_erm; longer x are scaled down
  double exploration = 0.1;               ///< for oco_exp3: share of draws with equal probabilities
  OnlineRule online = OnlineRule::kTree;  ///< of oco_exp3
};

/// Options of several methods for the worst group, among which each has its own by name.
const TrainingOptions& worst_group_options();

}  // namespace equinoise
