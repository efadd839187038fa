// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "equinoise/train/plan.h"
#include "equinoise/train/tailoring/budget_split.h"
#include "equinoise/train/tailoring/group_loss_descent.h"
#include "equinoise/train/tailoring/tailoring_options.h"

namespace equinoise {

/// A candidate of dpse's choice, which the steps then follow.
struct GroupGoal {
  GroupFunction objective;
  double loss_multiplier = 0;  ///< of the constraint

  bool asks_losses() const { return loss_multiplier > 0 || objective.quantile; }
};

/// The interpretation of budgets.
enum class BudgetForm {
  /// The group with the largest share pays all of the rest, and others pay in proportion to their
  /// shares. The payers are the members of one group, or of a cell of overlapping groups, whose
  /// shares add up.
  kCostliestPaysAll,
  kSharesOfAll,  ///< group k pays shares[k] of it, so that no group pays all: as printed
  /// The same as kSharesOfAll, but always with half for gradients, group means added up, and noise
  /// of a sum on every mean, n_k times as much as is paid for: Algorithm 2 as printed. Group k
  /// truly pays 1 / n_k^2 of its share.
  kNoiseOfSums,
};

/// The costs of groups in a run that queries groups separately. Public.
///
/// A record in several groups pays for each of them. So a cell, the records in the same groups,
/// pays the sum over its groups; disjoint groups are cells of one group each.
class GroupBudgets {
 public:
  /// Errors: kUsage for a configuration that cannot be honoured, or a public size that is missing.
  GroupBudgets(const TrainingConfig& config, const TrainingFacts& facts,
               BudgetForm form = BudgetForm::kCostliestPaysAll);

  bool needs_stage_one() const { return needs_errors(rule_); }
  bool asks_losses() const { return asks_losses_; }
  bool overlap() const { return overlap_; }
  const std::vector<std::string>& names() const { return names_; }  ///< (groups)
  const std::vector<int64_t>& sizes() const { return sizes_; }  ///< (groups) expected, of training
  const std::vector<std::vector<size_t>>& cells() const { return cells_; }  ///< their groups
  size_t max_groups() const;                                                ///< that anybody is in
  /// (groups) if no stage one is needed.
  const std::vector<double>& public_shares() const { return public_shares_; }

  /// The goal of one run, or the goals of several runs: every objective with every multiplier.
  const std::vector<GroupGoal>& goals() const { return goals_; }
  bool chooses() const { return goals_.size() > 1; }
  double mean_runs() const { return mean_runs_; }  ///< of a choice

  /// (groups): the factor of group k's mean gradient, [AlabiWiggins2024, Eq. 3] with every group's
  /// lambda between its share of the records and an equal one. Pre: no quantile, whose weights
  /// follow from losses.
  std::vector<double> objective(const GroupGoal& goal) const;

  const GroupFunction& constraint() const { return constraint_; }

  /// The configuration of a descent towards the goal; group_rho is left empty.
  GroupLossConfig followed(const GroupGoal& goal) const;

  /// The shares of groups with these mean squared residuals; public rules ignore them.
  std::vector<double> shares_of(std::span<const double> group_variances) const;

  /// The cost of stage one for every record, out of `rho`.
  double stage_one_rho(double rho) const;

  /// The cost of one descent, and of the score of a choice, for groups with these shares. It is the
  /// whole rest of rho for the largest share that any group may get, and for no group more than was
  /// reserved.
  std::vector<double> group_rho(double rho, std::span<const double> shares) const;

  /// The largest possible cost of each group, which is charged.
  std::vector<double> reserved_rho(double rho) const { return group_rho(rho, largest_shares_); }

  /// (cells): the largest possible cost of the groups of a cell together, which is charged to its
  /// members. For groups that share one budget it is at most the rest, which is less than the sum
  /// of reserved_rho.
  std::vector<double> reserved_of_cells(double rho) const;

  /// The parts of group_rho for the answers of all steps, and for the score of a choice.
  double descent_part(double group_rho) const { return group_rho - score_part(group_rho); }
  double score_part(double group_rho) const;

  /// The noise multiplier of one answer in one step, and that of the score.
  double step_multiplier(double group_rho) const;
  double score_multiplier(double group_rho) const;

  /// The largest noise multiplier that an answer of a step may have. For overlapping groups it is
  /// that of the group with the least noise, because the one release about all of them is in its
  /// scale.
  double max_step_noise(double rho) const;

 private:
  TailoringOptions config_;
  BudgetForm form_;
  double num_steps_;
  SplitRule rule_;
  std::vector<std::string> names_;
  std::vector<int64_t> sizes_;
  std::vector<std::vector<size_t>> cells_;
  bool overlap_;
  GroupFunction constraint_;
  std::vector<GroupGoal> goals_;
  bool asks_losses_ = false;
  double mean_runs_ = 1;
  std::vector<double> max_shares_;
  double min_weight_;
  std::vector<double> public_shares_;
  std::vector<double> largest_shares_;           ///< largest possible shares
  std::vector<double> largest_shares_of_cells_;  ///< the largest possible sums of these over a cell
  double largest_share_;                         ///< of any cell
};

}  // namespace equinoise
