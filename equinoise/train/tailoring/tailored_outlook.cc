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

/// (count): the probabilities that so many of independent events happen.
std::vector<double> counts_of(const std::vector<double>& probabilities) {
  std::vector<double> counts = {1};
  for (const double p : probabilities) {
    counts.push_back(0);
    for (size_t i = counts.size(); i-- > 0;)
      counts[i] = counts[i] * (1 - p) + (i > 0 ? counts[i - 1] * p : 0);
  }
  return counts;
}

/// (groups): the probability that a group's loss, with normal noise, is the quantile of all and at
/// least `bound`; by quadrature over each group's own noise.
std::vector<double> quantile_probabilities(double quantile, const std::vector<double>& losses,
                                           const std::vector<double>& noise, double bound) {
  constexpr int kPoints = 60;
  constexpr double kMost = 6;  // standard deviations
  constexpr double kWidth = 2 * kMost / kPoints;
  const size_t num_below = groups_below(quantile, losses.size());
  std::vector<double> probabilities(losses.size(), 0.0);
  for (size_t k = 0; k < losses.size(); ++k) {
    for (int i = 0; i < kPoints; ++i) {
      const double place = -kMost + (i + 0.5) * kWidth;
      const double loss = losses[k] + noise[k] * place;
      if (loss < bound) continue;
      const double density =
          std::exp(-place * place / 2) / std::sqrt(2 * std::numbers::pi) * kWidth;
      std::vector<double> below;
      for (size_t j = 0; j < losses.size(); ++j)
        if (j != k) below.push_back(normal_below((loss - losses[j]) / noise[j]));
      probabilities[k] += density * counts_of(below)[num_below];
    }
  }
  return probabilities;
}

/// How much a step follows groups, of weights that losses decide.
struct Followed {
  std::vector<double> mean;    ///< (groups)
  std::vector<double> square;  ///< (groups) of the squares
};

/// Of a function of losses where it is at least `bound`.
Followed followed_by(const GroupFunction& function, const GroupBudgets& budgets,
                     const std::vector<double>& losses, const std::vector<double>& noise,
                     double bound) {
  if (function.quantile) {
    const std::vector<double> of_one =
        quantile_probabilities(*function.quantile, losses, noise, bound);
    return {of_one, of_one};
  }
  Followed followed{mean_weights(function, budgets.sizes()), {}};
  double value = 0;
  double variance = 0;
  for (size_t k = 0; k < losses.size(); ++k) {
    value += followed.mean[k] * losses[k];
    variance += std::pow(followed.mean[k] * noise[k], 2);
  }
  const double reached = normal_below((value - bound) / std::sqrt(variance));
  for (double& weight : followed.mean) {
    followed.square.push_back(reached * weight * weight);
    weight *= reached;
  }
  return followed;
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
  const size_t num_groups = budgets.sizes().size();
  const std::vector<double> shares = group_shares(facts);
  const std::vector<double> within = variance_within_groups(facts);
  const std::vector<double> none(num_groups, 0.0);
  const std::vector<double> equal(num_groups, 1 / static_cast<double>(num_groups));
  // What steps follow in the mean; of a quantile, of which nothing is known yet, each group alike.
  Followed objective{goal.objective.quantile ? equal : budgets.objective(goal), {}};
  for (const double weight : objective.mean)
    objective.square.push_back(goal.objective.quantile ? weight : weight * weight);
  Followed pushed{none, none};
  double variance = 0;   // of a step's direction, each entry
  double curvature = 0;  // of what steps descend
  const auto expected = [&] {
    variance = curvature = 0;
    std::vector<double> weights;
    for (size_t k = 0; k < num_groups; ++k) {
      const double multiplier = goal.loss_multiplier;
      weights.push_back(objective.mean[k] + multiplier * pushed.mean[k]);
      curvature += weights[k];
      variance += noise.gradients[k] * noise.gradients[k] *
                  (objective.square[k] + 2 * multiplier * objective.mean[k] * pushed.mean[k] +
                   multiplier * multiplier * pushed.square[k]);
    }
    std::vector<double> of_cells;
    for (const std::vector<size_t>& cell : budgets.cells()) {
      double weight = 0;
      for (const size_t k : cell) weight += weights[k] / shares[k];
      of_cells.push_back(weight);
    }
    return shared_outlook(facts, of_cells, std::sqrt(variance / num_averaged));
  };
  const auto move = [&](const Followed& found, int round, Followed& followed) {
    for (size_t k = 0; k < num_groups; ++k) {
      followed.mean[k] += (found.mean[k] - followed.mean[k]) / (round + 1);
      followed.square[k] += (found.square[k] - followed.square[k]) / (round + 1);
    }
  };
  for (int round = 0; round < kRounds && goal.asks_losses(); ++round) {
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
    if (goal.loss_multiplier > 0) {
      move(followed_by(budgets.constraint(), budgets, losses, deviations,
                       config.own.of<TailoringOptions>().loss_bound),
           round, pushed);
    }
    if (goal.objective.quantile)
      move(followed_by(goal.objective, budgets, losses, deviations, -HUGE_VAL), round, objective);
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
