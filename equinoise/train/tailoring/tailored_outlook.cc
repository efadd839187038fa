// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/tailored_outlook.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "equinoise/train/tailoring/sensitivities.h"
#include "equinoise/train/tailoring/stage_one.h"
#include "equinoise/train/tailoring/tailoring_options.h"

namespace equinoise {

namespace {

constexpr int kRounds = 100;  // of fictitious play

double largest(const std::vector<ExpectedError>& errors) {
  double largest = 0;
  for (const ExpectedError& error : errors) largest = std::max(largest, error.total());
  return largest;
}

/// Mean squared residuals of one model with records alike, as stage one is expected to find them.
std::vector<double> expected_variances(const OutlookFacts& facts, const TrainingPlan& plan,
                                       const GroupBudgets& budgets, double rho) {
  const std::vector<ExpectedError> errors =
      shared_outlook(facts, std::vector<double>(facts.shares.size(), 1.0), 0);
  const std::vector<double> within = variance_within_groups(facts);
  const double clip = plan.config.own.of<TailoringOptions>().residual_clip;
  const double noise =
      noise_stddev(residual_sum_sensitivity(plan.config.relation, clip),
                   stage_one_part(budgets.stage_one_rho(rho), budgets.membership()));
  std::vector<double> variances;
  for (size_t k = 0; k < errors.size(); ++k) {
    const double found =
        std::min(facts.residual_variance + within[k] + errors[k].total(), clip * clip);
    variances.push_back(std::max(found, noise / static_cast<double>(budgets.sizes()[k])));
  }
  return variances;
}

double normal_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

/// (groups): the probability that a group's loss, with normal noise, is the largest of all and at
/// least `bound`; by quadrature over each group's own noise.
std::vector<double> worst_probabilities(const std::vector<double>& losses,
                                        const std::vector<double>& noise, double bound) {
  constexpr int kPoints = 60;
  constexpr double kMost = 6;  // standard deviations
  constexpr double kWidth = 2 * kMost / kPoints;
  std::vector<double> probabilities(losses.size(), 0.0);
  for (size_t k = 0; k < losses.size(); ++k) {
    for (int i = 0; i < kPoints; ++i) {
      const double place = -kMost + (i + 0.5) * kWidth;
      const double loss = losses[k] + noise[k] * place;
      if (loss < bound) continue;
      double density = std::exp(-place * place / 2) / std::sqrt(2 * std::numbers::pi) * kWidth;
      for (size_t j = 0; j < losses.size(); ++j)
        if (j != k) density *= normal_below((loss - losses[j]) / noise[j]);
      probabilities[k] += density;
    }
  }
  return probabilities;
}

/// What the answers of one step have.
struct AnswerNoise {
  std::vector<double> gradients;  ///< (groups) of their means
  std::vector<double> losses;     ///< (groups) the same
};

std::vector<ExpectedError> errors_of(const OutlookFacts& facts, const GroupBudgets& budgets,
                                     const GroupGoal& goal, const TrainingConfig& config,
                                     const AnswerNoise& noise, double num_averaged) {
  const double learning_rate =
      learning_rate_at(config, config.num_steps - 1 - static_cast<int64_t>(num_averaged) / 2);
  const std::vector<double> objective = budgets.objective(goal);
  const size_t num_groups = objective.size();
  const std::vector<double> shares = group_shares(facts);
  const std::vector<double> within = variance_within_groups(facts);
  std::vector<double> pushed(num_groups, 0.0);  // the part of steps that push a group
  double variance = 0;                          // of a step's direction, each entry
  double curvature = 0;                         // of what steps descend
  const auto expected = [&] {
    variance = curvature = 0;
    for (size_t k = 0; k < num_groups; ++k) {
      curvature += objective[k] + goal.loss_multiplier * pushed[k];
      variance += noise.gradients[k] * noise.gradients[k] *
                  ((1 - pushed[k]) * objective[k] * objective[k] +
                   pushed[k] * std::pow(objective[k] + goal.loss_multiplier, 2));
    }
    std::vector<double> weights;
    for (const std::vector<size_t>& cell : budgets.cells()) {
      double weight = 0;
      for (const size_t k : cell)
        weight += (objective[k] + goal.loss_multiplier * pushed[k]) / shares[k];
      weights.push_back(weight);
    }
    return shared_outlook(facts, weights, std::sqrt(variance / num_averaged));
  };
  for (int round = 0; round < kRounds && goal.loss_multiplier > 0; ++round) {
    std::vector<double> losses;
    std::vector<double> deviations;
    const std::vector<ExpectedError> errors = expected();
    // How far iterates of gradient descent with noise are from their mean, in each direction; the
    // loss of a group changes by that times the distance to its best parameters.
    const double contraction = std::min(learning_rate * curvature, 1.0);
    const double wandering = std::sqrt(learning_rate * variance / (curvature * (2 - contraction)));
    for (size_t k = 0; k < num_groups; ++k) {
      losses.push_back(std::min((facts.residual_variance + within[k] + errors[k].total()) / 2,
                                config.own.of<TailoringOptions>().loss_clip));
      deviations.push_back(
          std::hypot(noise.losses[k], std::sqrt(errors[k].difference) * wandering));
    }
    const std::vector<double> worst =
        worst_probabilities(losses, deviations, config.own.of<TailoringOptions>().loss_bound);
    for (size_t k = 0; k < num_groups; ++k) pushed[k] += (worst[k] - pushed[k]) / (round + 1);
  }
  return expected();
}

}  // namespace

TailoredOutlook tailored_outlook(const OutlookFacts& facts, const TrainingPlan& plan,
                                 int64_t num_averaged) {
  const TrainingConfig& config = plan.config;
  const GroupBudgets budgets(config, plan.facts);
  const double rho = 1 / (2 * plan.noise_multiplier * plan.noise_multiplier);
  TailoredOutlook outlook;
  outlook.shares = budgets.needs_stage_one()
                       ? budgets.shares_of(expected_variances(facts, plan, budgets, rho))
                       : budgets.public_shares();
  AnswerNoise noise;
  const std::vector<double> group_rho = budgets.group_rho(rho, outlook.shares);
  for (size_t k = 0; k < group_rho.size(); ++k) {
    const double of_mean =
        budgets.step_multiplier(group_rho[k]) / static_cast<double>(budgets.sizes()[k]);
    noise.gradients.push_back(of_mean * config.max_grad_norm);
    noise.losses.push_back(of_mean * config.own.of<TailoringOptions>().loss_clip);
  }
  for (const GroupGoal& goal : budgets.goals()) {
    std::vector<ExpectedError> errors =
        errors_of(facts, budgets, goal, config, noise, static_cast<double>(num_averaged));
    if (!outlook.errors.empty() && !(largest(errors) < largest(outlook.errors))) continue;
    outlook.goal = goal;
    outlook.errors = std::move(errors);
  }
  return outlook;
}

}  // namespace equinoise
