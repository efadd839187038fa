// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/group_budgets.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/random/number_of_runs.h"
#include "equinoise/train/group_numbers.h"
#include "equinoise/train/tailoring/tailoring_options.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.dpse";
constexpr Refusal refuse{ErrorKind::kUsage, kWhere};
constexpr double kScorePart = 0.1;  // of a run's cost, if one of several is chosen
constexpr double kRunsOfEach = 2;   // on average, by default
constexpr size_t kMaxGoals = 100;

/// Errors: kUsage for a sum, which is a mean with a different bound.
GroupFunction parse_constraint_of_losses(const std::string& text) {
  const GroupFunction constraint = parse_group_function(kWhere, "group_constraint", text);
  if (!constraint.is_sum) return constraint;
  refuse("group_constraint cannot be sum; bound the mean of the groups instead");
}

std::vector<GroupGoal> goals_of(const TailoringOptions& config) {
  std::vector<GroupGoal> goals;
  for (const std::string& objective : config.objectives) {
    const GroupFunction function = parse_group_function(kWhere, "group_objective", objective);
    for (const double loss_multiplier : config.loss_multipliers) {
      check_interval(kWhere, "group_loss_multiplier", loss_multiplier, 0, 1e6);
      for (const GroupGoal& goal : goals) {
        if (goal.objective != function || goal.loss_multiplier != loss_multiplier) continue;
        refuse("group_objective {} with group_loss_multiplier {} is given twice", objective,
               loss_multiplier);
      }
      goals.push_back({function, loss_multiplier});
    }
  }
  if (goals.empty() || goals.size() > kMaxGoals) {
    refuse(
        "group_objective and group_loss_multiplier need at least one value "
        "each and at most {} combinations, got {}",
        kMaxGoals, goals.size());
  }
  return goals;
}

/// The groups that answers are about.
const PublicGroups& asked_groups(const TrainingFacts& facts) {
  return facts.overlapping.groups_of_cell.empty() ? facts.groups : facts.overlapping.groups;
}

std::vector<int64_t> sizes_of_asked(const TrainingFacts& facts) {
  if (asked_groups(facts).names.empty()) refuse("the facts name no groups");
  return expected_sizes(kWhere, asked_groups(facts), facts.num_records);
}

/// (cells) of groups.
std::vector<std::vector<size_t>> cells_of(const TrainingFacts& facts) {
  if (!facts.overlapping.groups_of_cell.empty()) return facts.overlapping.groups_of_cell;
  std::vector<std::vector<size_t>> cells;
  for (size_t k = 0; k < facts.groups.names.size(); ++k) cells.push_back({k});
  return cells;
}

/// Shares, caps and reported figures are by name, so names must be distinct.
void check_names(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  refuse(
      "groups of several --groups have the name \"{}\"; rename one of them "
      "with a group attribute of the schema",
      *twice);
}

double sum_over(std::span<const size_t> cell, std::span<const double> of_groups) {
  double sum = 0;
  for (const size_t group : cell) sum += of_groups[group];
  return sum;
}

}  // namespace

GroupBudgets::GroupBudgets(const TrainingConfig& config, const TrainingFacts& facts,
                           BudgetForm form)
    : config_(config.own.of<TailoringOptions>()),
      form_(form),
      num_steps_(static_cast<double>(config.num_steps)),
      rule_(config_.split),
      names_(asked_groups(facts).names),
      sizes_(sizes_of_asked(facts)),
      cells_(cells_of(facts)),
      overlap_(!facts.overlapping.groups_of_cell.empty()),
      constraint_(parse_constraint_of_losses(config_.loss_constraint)),
      goals_(goals_of(config_)),
      min_weight_(default_min_weight(sizes_.size())) {
  check_names(names_);
  asks_losses_ = std::ranges::any_of(goals_, &GroupGoal::asks_losses);
  if (chooses()) {
    mean_runs_ = config_.mean_runs.value_or(kRunsOfEach * static_cast<double>(goals_.size()));
    check_interval(kWhere, "the mean number of runs (mean_runs)", mean_runs_,
                   NumberOfRuns::kMinMean, NumberOfRuns::kMaxMean);
  } else if (config_.mean_runs) {
    refuse(
        "mean_runs is only for a private choice; give group_objective or "
        "group_loss_multiplier several values, or leave it out");
  }
  for (const std::optional<double>& max_share :
       numbers_of_groups(kWhere, "max_share", config_.max_shares, names_))
    max_shares_.push_back(max_share.value_or(config_.max_share));
  if (!needs_stage_one()) public_shares_ = shares_of({});
  largest_shares_ = needs_stage_one() ? largest_shares(max_shares_, min_weight_) : public_shares_;
  for (const std::vector<size_t>& cell : cells_) {
    largest_shares_of_cells_.push_back(overlap_ && needs_stage_one()
                                           ? largest_sum(cell, max_shares_, min_weight_)
                                           : sum_over(cell, largest_shares_));
  }
  largest_share_ = form == BudgetForm::kCostliestPaysAll
                       ? *std::ranges::max_element(largest_shares_of_cells_)
                       : 1;
  if (form != BudgetForm::kCostliestPaysAll &&
      (chooses() || goals_[0].objective != kMeanOfRecords || constraint_ != kLargestOfGroups ||
       overlap_)) {
    refuse(
        "this method follows the paper as printed, with one objective, no choice and "
        "disjoint groups; use dpse");
  }
}

size_t GroupBudgets::max_groups() const {
  return std::ranges::max(cells_, {}, &std::vector<size_t>::size).size();
}

std::vector<double> GroupBudgets::objective(const GroupGoal& goal) const {
  return mean_weights(form_ == BudgetForm::kNoiseOfSums ? kSumOfGroups : goal.objective, sizes_);
}

GroupLossConfig GroupBudgets::followed(const GroupGoal& goal) const {
  GroupLossConfig followed;
  followed.objective_quantile = goal.objective.quantile;
  if (!goal.objective.quantile) followed.objective = objective(goal);
  followed.lagrange_multiplier = goal.loss_multiplier;
  followed.loss_bounds.assign(sizes_.size(), config_.loss_bound);
  followed.constraint = constraint_;
  return followed;
}

std::vector<double> GroupBudgets::shares_of(std::span<const double> group_variances) const {
  return cap_shares(split_budget(rule_, group_variances, sizes_, min_weight_), max_shares_);
}

double GroupBudgets::stage_one_rho(double rho) const {
  return needs_stage_one() ? config_.stage_one_fraction * rho : 0;
}

std::vector<double> GroupBudgets::group_rho(double rho, std::span<const double> shares) const {
  std::vector<double> group_rho;
  for (size_t k = 0; k < shares.size(); ++k) {
    group_rho.push_back((rho - stage_one_rho(rho)) *
                        (std::min(shares[k], largest_shares_[k]) / largest_share_));
    if (form_ != BudgetForm::kNoiseOfSums) continue;
    const auto size = static_cast<double>(sizes_[k]);
    group_rho.back() /= size * size * (asks_losses_ ? 1 : 2);
  }
  return group_rho;
}

std::vector<double> GroupBudgets::reserved_of_cells(double rho) const {
  if (!overlap_) return reserved_rho(rho);
  std::vector<double> reserved;
  for (const double share : largest_shares_of_cells_)
    reserved.push_back((rho - stage_one_rho(rho)) * (share / largest_share_));
  return reserved;
}

double GroupBudgets::score_part(double group_rho) const {
  return chooses() ? kScorePart * group_rho : 0;
}

double GroupBudgets::step_multiplier(double group_rho) const {
  const double num_answers = asks_losses_ ? 2 : 1;
  return round_up(std::sqrt(num_answers * num_steps_ / (2 * descent_part(group_rho))), 1e-13);
}

double GroupBudgets::score_multiplier(double group_rho) const {
  return round_up(1 / std::sqrt(2 * score_part(group_rho)), 1e-13);
}

double GroupBudgets::max_step_noise(double rho) const {
  const std::vector<double> reserved = reserved_rho(rho);
  if (overlap_) {
    // Some group has an equal share or more.
    const double equal =
        (rho - stage_one_rho(rho)) / (static_cast<double>(sizes_.size()) * largest_share_);
    return step_multiplier(needs_stage_one() ? equal : *std::ranges::max_element(reserved));
  }
  double most = 0;
  for (size_t k = 0; k < reserved.size(); ++k) {
    const double least = std::min(max_shares_[k], min_share(sizes_.size(), min_weight_));
    const double extra = needs_stage_one() ? std::sqrt(largest_shares_[k] / least) : 1;
    most = std::max(most, step_multiplier(reserved[k]) * extra);
  }
  return most;
}

}  // namespace equinoise
