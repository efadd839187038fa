// SPDX-License-Identifier: Apache-2.0
#include "equinoise/reproduction/simulation/weighted_descent.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "equinoise/base/check.h"
#include "equinoise/train/tailoring/sensitivities.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.tailoring";

/// A release with this coefficient for every group.
WeightedRelease equal_release(const WeightedGroupAnswers& answers, double coefficient) {
  const size_t num_groups = answers.group_sizes().size();
  return {std::vector<double>(num_groups, coefficient),
          std::vector<double>(num_groups, answers.bounds().max_grad_norm), 0};
}

/// The noise of the mean gradient of group k.
double gradient_noise(const WeightedGroupAnswers& answers, const GroupLossConfig& config,
                      int64_t num_steps, size_t group) {
  const double rho = answer_rho(config, num_steps, group);
  if (rho == HUGE_VAL) return 0;
  const AnswerBounds bounds = answers.bounds();
  return noise_stddev(gradient_mean_sensitivity(bounds.relation, bounds.max_grad_norm,
                                                answers.group_sizes()[group]),
                      rho);
}

}  // namespace

double step_size_at(const DescentConfig& config, const DirectionFacts& facts, int64_t t) {
  const StepSize& step = config.step_size;
  check_positive(kWhere, "the scale of steps", step.scale);
  check_positive(kWhere, "box", config.box);
  const auto root = std::sqrt(static_cast<double>(t));
  switch (step.rule) {
    case StepSize::Rule::kNoisy: {
      const double dimension = std::sqrt(static_cast<double>(facts.num_parameters));
      return step.scale * 2 * config.box * dimension /
             (root * std::hypot(facts.lipschitz, dimension * facts.noise_stddev));
    }
    case StepSize::Rule::kInverseRoot:
      return step.scale / root;
    case StepSize::Rule::kConstant:
      return step.scale;
  }
  throw Error(ErrorKind::kUsage, kWhere, "no such rule of step sizes");
}

void take_step(double box, double step_size, std::span<const double> direction,
               std::span<double> parameters) {
  for (size_t j = 0; j < parameters.size(); ++j)
    parameters[j] = std::clamp(parameters[j] - step_size * direction[j], -box, box);
}

std::vector<double> group_costs(const WeightedRelease& release, Relation relation,
                                int64_t num_steps) {
  std::vector<double> costs;
  for (size_t k = 0; k < release.coefficients.size(); ++k) {
    if (release.coefficients[k] == 0) {
      costs.push_back(0);
      continue;
    }
    const double sensitivity =
        gradient_sum_sensitivity(relation, release.coefficients[k] * release.max_grad_norms[k])
            .value();
    const double ratio = sensitivity / release.noise_stddev;
    costs.push_back(static_cast<double>(num_steps) * ratio * ratio / 2);
  }
  return costs;
}

double sum_noise_stddev(const AnswerBounds& bounds, int64_t num_steps, double rho) {
  if (rho == HUGE_VAL) return 0;
  return noise_stddev(gradient_sum_sensitivity(bounds.relation, bounds.max_grad_norm),
                      rho / static_cast<double>(num_steps));
}

WeightedRelease unweighted_release(const WeightedGroupAnswers& answers, int64_t num_steps,
                                   double rho) {
  WeightedRelease release = equal_release(answers, 1);
  release.noise_stddev = sum_noise_stddev(answers.bounds(), num_steps, rho);
  return release;
}

WeightedRelease summed_release(const WeightedGroupAnswers& answers, int64_t num_steps, double rho,
                               std::span<const double> shares) {
  double variances = 0;
  for (const double share : shares) {
    check_positive(kWhere, "the share of a group", share);
    variances += 1 / share;
  }
  WeightedRelease release = unweighted_release(answers, num_steps, rho);
  release.noise_stddev *= std::sqrt(variances);
  return release;
}

WeightedRelease coefficients_release(const WeightedGroupAnswers& answers, int64_t num_steps,
                                     double rho, std::vector<double> coefficients) {
  WeightedRelease release = equal_release(answers, 0);
  release.noise_stddev =
      *std::ranges::max_element(coefficients) * sum_noise_stddev(answers.bounds(), num_steps, rho);
  release.coefficients = std::move(coefficients);
  return release;
}

WeightedRelease balanced_release(const WeightedGroupAnswers& answers, int64_t num_steps,
                                 double rho) {
  std::vector<double> coefficients;
  const auto num_groups = static_cast<double>(answers.group_sizes().size());
  for (const int64_t size : answers.group_sizes())
    coefficients.push_back(1 / num_groups / static_cast<double>(size));
  return coefficients_release(answers, num_steps, rho, std::move(coefficients));
}

WeightedRelease single_group_release(const WeightedGroupAnswers& answers, int64_t num_steps,
                                     double rho, size_t group) {
  WeightedRelease release = equal_release(answers, 0);
  release.coefficients.at(group) = 1;
  release.noise_stddev = sum_noise_stddev(answers.bounds(), num_steps, rho);
  return release;
}

std::vector<double> descend(WeightedGroupAnswers& answers, const DescentConfig& config,
                            const WeightedRelease& release) {
  DirectionFacts facts = {0, release.noise_stddev, answers.num_features()};
  const std::span<const int64_t> sizes = answers.group_sizes();
  for (size_t k = 0; k < sizes.size(); ++k) {
    facts.lipschitz +=
        release.coefficients[k] * release.max_grad_norms[k] * static_cast<double>(sizes[k]);
  }
  std::vector<double> parameters(answers.num_features(), 0.0);
  std::vector<double> direction(answers.num_features());
  for (int64_t t = 1; t <= config.num_steps; ++t) {
    answers.weighted_sum(parameters, release.coefficients, release.max_grad_norms,
                         release.noise_stddev, direction);
    take_step(config.box, step_size_at(config, facts, t), direction, parameters);
  }
  return parameters;
}

double direction_noise_stddev(const WeightedGroupAnswers& answers, const GroupLossConfig& config,
                              int64_t num_steps) {
  check_group_losses(config, answers.group_sizes().size());
  double variance = 0;
  double largest = 0;
  for (size_t k = 0; k < config.group_rho.size(); ++k) {
    const double noise = gradient_noise(answers, config, num_steps, k);
    largest = std::max(largest, noise);
    if (!config.objective_quantile) variance += std::pow(config.objective[k] * noise, 2);
  }
  return config.objective_quantile ? largest : std::sqrt(variance);
}

std::vector<double> descend(WeightedGroupAnswers& answers, const DescentConfig& config,
                            const GroupLossConfig& loss) {
  DirectionFacts facts = {0, direction_noise_stddev(answers, loss, config.num_steps),
                          answers.num_features()};
  const std::vector<double>& weights = loss.objective;
  const double of_objective =
      loss.objective_quantile ? 1 : std::accumulate(weights.begin(), weights.end(), 0.0);
  facts.lipschitz = answers.bounds().max_grad_norm * (of_objective + loss.lagrange_multiplier);
  std::vector<double> parameters(answers.num_features(), 0.0);
  for (int64_t t = 1; t <= config.num_steps; ++t) {
    const GroupStep step = ask_group_step(answers, loss, config.num_steps, parameters);
    take_step(config.box, step_size_at(config, facts, t), step.direction, parameters);
  }
  return parameters;
}

std::vector<double> printed_budgets(const WeightedGroupAnswers& answers, double rho,
                                    std::span<const double> shares) {
  const std::span<const int64_t> sizes = answers.group_sizes();
  if (shares.size() != sizes.size()) {
    throw Error(ErrorKind::kUsage, kWhere, "shares must have a value for each of {} groups, got {}",
                sizes.size(), shares.size());
  }
  std::vector<double> budgets;
  for (size_t k = 0; k < shares.size(); ++k) {
    const AnswerBounds bounds = answers.bounds();
    const double too_large =
        bounds.max_grad_norm /
        gradient_mean_sensitivity(bounds.relation, bounds.max_grad_norm, sizes[k]).value();
    budgets.push_back(shares[k] * rho / 2 / (too_large * too_large));
  }
  return budgets;
}

}  // namespace equinoise
