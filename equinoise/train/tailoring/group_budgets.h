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

/// What dpse chooses among, and what a step then follows.
struct GroupGoal {
  GroupFunction objective;
  double loss_multiplier = 0;  ///< of the constraint

  bool asks_losses() const { return loss_multiplier > 0 || objective.quantile; }
};

/// How budgets are understood.
enum class BudgetForm {
  /// The group with the largest share pays all that is left, others in proportion to theirs: the
  /// members of one group, or of a cell of groups that overlap, whose shares add up.
  kCostliestPaysAll,
  kSharesOfAll,  ///< group k pays shares[k] of it, so that nobody pays all: as printed
  /// The same with half for gradients always and noise of a sum on every mean, n_k times as much as
  /// is paid for, with group means added up: Algorithm 2 as printed. What group k pays in truth is
  /// 1 / n_k^2 of its share.
  kNoiseOfSums,
};

/// Who pays how much for what in a run that asks groups apart. Public.
///
/// A record in several groups pays for each of them, so that a cell, the records in the same
/// groups, pays the sum over its groups; disjoint groups are cells of one group each.
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
  size_t most_groups() const;                                               ///< that anybody is in
  /// (groups) where no stage one is needed.
  const std::vector<double>& public_shares() const { return public_shares_; }

  /// What one run follows, or one of several runs: every objective with every multiplier.
  const std::vector<GroupGoal>& goals() const { return goals_; }
  bool chooses() const { return goals_.size() > 1; }
  double mean_runs() const { return mean_runs_; }  ///< of a choice

  /// (groups): what group k's mean gradient is multiplied with, [AlabiWiggins2024, Eq. 3] with
  /// every group's lambda between its share of the records and an equal one. Pre: no quantile,
  /// whose weights follow from losses.
  std::vector<double> objective(const GroupGoal& goal) const;

  const GroupFunction& constraint() const { return constraint_; }

  /// What the steps of a descent towards the goal follow; group_rho is left empty.
  GroupLossConfig followed(const GroupGoal& goal) const;

  /// The shares of groups with these mean squared residuals; public rules look at none.
  std::vector<double> shares_of(std::span<const double> group_variances) const;

  /// What stage one costs everybody, of rho in all.
  double stage_one_rho(double rho) const;

  /// What one descent, and the score of a choice, cost groups that have these shares: the whole
  /// rest of rho for the largest share that any group may get, and for nobody more than was
  /// reserved.
  std::vector<double> group_rho(double rho, std::span<const double> shares) const;

  /// The most that groups may turn out to have, which is what they are charged.
  std::vector<double> reserved_rho(double rho) const { return group_rho(rho, largest_shares_); }

  /// (cells): the most that the groups of a cell may turn out to have together, which is what its
  /// members are charged. Of groups that share one budget no more than is left: less than the sum
  /// of reserved_rho.
  std::vector<double> reserved_of_cells(double rho) const;

  /// Of group_rho, what the answers of all steps cost, and what the score of a choice does.
  double descent_part(double group_rho) const { return group_rho - score_part(group_rho); }
  double score_part(double group_rho) const;

  /// The noise multiplier of one answer in one step, and that of the score.
  double step_multiplier(double group_rho) const;
  double score_multiplier(double group_rho) const;

  /// The largest noise multiplier that an answer of a step may have; where groups overlap that of
  /// the group with the least noise, in which the one release about all of them is scaled.
  double most_step_noise(double rho) const;

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
  std::vector<double> largest_shares_;           ///< that groups may turn out to have
  std::vector<double> largest_shares_of_cells_;  ///< the same together
  double largest_share_;                         ///< of any cell
};

}  // namespace equinoise
