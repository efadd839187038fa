#include "equinoise/train/tailoring/group_budgets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "equinoise/base/check.h"
#include "equinoise/base/rounding.h"
#include "equinoise/data/parse_number.h"
#include "equinoise/privacy/random/number_of_runs.h"
#include "equinoise/train/group_numbers.h"
#include "equinoise/train/tailoring/group_loss_descent.h"

namespace equinoise {

namespace {

constexpr const char* kWhere = "train.dpse";
constexpr double kScorePart = 0.1;  // of what a run costs, where one of several is chosen
constexpr double kRunsOfEach = 2;   // on average, unless something else is asked for
constexpr size_t kMostGoals = 100;

double parse_balance(const std::string& objective) {
  if (objective == "population") return 0;
  if (objective == "mean") return 1;
  const std::optional<double> number = parse_number(objective);
  if (number && *number >= 0 && *number <= 1) return *number;
  throw Error(ErrorKind::kUsage, kWhere,
              fmt::format("group_objective must be population, mean or a number from 0 to 1, got "
                          "\"{}\"",
                          objective));
}

std::vector<GroupGoal> goals_of(const TailoringConfig& config) {
  std::vector<GroupGoal> goals;
  for (const std::string& objective : config.objectives) {
    const double balance = parse_balance(objective);
    for (const double loss_multiplier : config.loss_multipliers) {
      check_interval(kWhere, "group_loss_multiplier", loss_multiplier, 0, 1e6);
      for (const GroupGoal& goal : goals) {
        if (goal.balance != balance || goal.loss_multiplier != loss_multiplier) continue;
        throw Error(ErrorKind::kUsage, kWhere,
                    fmt::format("group_objective {} with group_loss_multiplier {} is there twice",
                                objective, loss_multiplier));
      }
      goals.push_back({balance, loss_multiplier});
    }
  }
  if (goals.empty() || goals.size() > kMostGoals) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("group_objective and group_loss_multiplier must have a value each and "
                            "at most {} combinations, got {}",
                            kMostGoals, goals.size()));
  }
  return goals;
}

/// How many records of each group the training part is expected to hold: public.
std::vector<int64_t> expected_sizes(const TrainingFacts& facts) {
  const PublicGroups& groups = facts.groups;
  if (groups.names.empty()) {
    throw Error(ErrorKind::kUsage, kWhere,
                "the method needs groups; give --groups, e.g. --groups sex");
  }
  std::vector<int64_t> sizes;
  for (size_t k = 0; k < groups.names.size(); ++k) {
    const std::optional<double> share = groups.shares[k];
    if (!share || !(*share > 0)) {
      throw Error(
          ErrorKind::kUsage, kWhere,
          fmt::format("the public size of group {} is {}; means are divided by sizes: declare "
                      "them in [[public.groups]] of the schema",
                      groups.names[k], share ? "0" : "not declared"));
    }
    sizes.push_back(
        std::max<int64_t>(1, std::llround(*share * static_cast<double>(facts.num_records))));
  }
  return sizes;
}

}  // namespace

GroupBudgets::GroupBudgets(const TrainingConfig& config, const TrainingFacts& facts,
                           BudgetForm form)
    : config_(config.tailoring),
      form_(form),
      num_steps_(static_cast<double>(config.num_steps)),
      rule_(parse_split_rule(config_.split)),
      sizes_(expected_sizes(facts)),
      goals_(goals_of(config_)),
      min_weight_(default_min_weight(sizes_.size())) {
  check_open_interval(kWhere, "stage1_fraction", config_.stage_one_fraction, 0, 1);
  check_non_negative(kWhere, "group_loss_bound", config_.loss_bound);
  check_interval(kWhere, "group_loss_clip", config_.loss_clip, 1e-30, 1e30);
  check_interval(kWhere, "feature_norm_bound", config_.feature_norm_bound, 1e-6, 1e6);
  check_interval(kWhere, "residual_clip", config_.residual_clip, 1e-6, 1e6);
  check_positive(kWhere, "box", config_.box);
  asks_losses_ = std::any_of(goals_.begin(), goals_.end(),
                             [](const GroupGoal& goal) { return goal.loss_multiplier > 0; });
  if (chooses()) {
    mean_runs_ = config_.mean_runs.value_or(kRunsOfEach * static_cast<double>(goals_.size()));
    check_interval(kWhere, "the mean number of runs (mean_runs)", mean_runs_,
                   NumberOfRuns::kLeastMean, NumberOfRuns::kMostMean);
  } else if (config_.mean_runs) {
    throw Error(ErrorKind::kUsage, kWhere,
                "mean_runs is of a choice: give group_objective or group_loss_multiplier several "
                "values, or leave it out");
  }
  for (const std::optional<double>& max_share :
       numbers_of_groups(kWhere, "max_share", config_.max_shares, facts.groups.names))
    max_shares_.push_back(max_share.value_or(config_.max_share));
  if (!needs_stage_one()) public_shares_ = shares_of({});
  largest_shares_ = needs_stage_one() ? largest_shares(max_shares_, min_weight_) : public_shares_;
  largest_share_ = form == BudgetForm::kCostliestPaysAll
                       ? *std::max_element(largest_shares_.begin(), largest_shares_.end())
                       : 1;
  if (form != BudgetForm::kCostliestPaysAll && (chooses() || goals_[0].balance != 0)) {
    throw Error(ErrorKind::kUsage, kWhere,
                "what is kept as it is printed has one objective and no choice; use dpse");
  }
}

std::vector<double> GroupBudgets::objective(const GroupGoal& goal) const {
  if (form_ == BudgetForm::kNoiseOfSums) return objective_weights(GroupObjective::kSum, sizes_);
  std::vector<double> weights = objective_weights(GroupObjective::kPopulation, sizes_);
  const std::vector<double> equal = objective_weights(GroupObjective::kMean, sizes_);
  for (size_t k = 0; k < weights.size(); ++k)
    weights[k] = (1 - goal.balance) * weights[k] + goal.balance * equal[k];
  return weights;
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

double GroupBudgets::most_extra_noise(size_t group) const {
  if (!needs_stage_one()) return 1;
  const double least = std::min(max_shares_[group], least_share(sizes_.size(), min_weight_));
  return std::sqrt(largest_shares_[group] / least);
}

}  // namespace equinoise
