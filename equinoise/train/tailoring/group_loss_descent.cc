// SPDX-License-Identifier: Apache-2.0
#include "equinoise/train/tailoring/group_loss_descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "equinoise/base/check.h"
#include "equinoise/train/tailoring/sensitivities.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "train.tailoring";

void check_groups(std::string_view name, std::span<const double> values, size_t num_groups) {
  if (values.size() != num_groups) {
    throw Error(ErrorKind::kUsage, kWhere,
                fmt::format("{} must have a value for each of {} groups, got {}", name, num_groups,
                            values.size()));
  }
}

void check_config(const GroupAnswers& answers, const GroupLossConfig& config) {
  const size_t num_groups = answers.group_sizes().size();
  if (!config.objective_quantile) check_groups("objective", config.objective, num_groups);
  check_groups("group_rho", config.group_rho, num_groups);
  check_non_negative(kWhere, "lagrange_multiplier", config.lagrange_multiplier);
  if (config.lagrange_multiplier > 0) check_groups("loss_bounds", config.loss_bounds, num_groups);
}

/// The noise of the mean gradient of group k.
double gradient_noise(const GroupAnswers& answers, const GroupLossConfig& config, int64_t num_steps,
                      size_t group) {
  const double rho = answer_rho(config, num_steps, group);
  if (rho == HUGE_VAL) return 0;
  const AnswerBounds bounds = answers.bounds();
  return noise_stddev(gradient_mean_sensitivity(bounds.relation, bounds.max_grad_norm,
                                                answers.group_sizes()[group]),
                      rho);
}

}  // namespace

double answer_rho(const GroupLossConfig& config, int64_t num_steps, size_t group) {
  const double num_answers = config.asks_losses() ? 2 : 1;
  return config.group_rho[group] / (num_answers * static_cast<double>(num_steps));
}

double direction_noise_stddev(const GroupAnswers& answers, const GroupLossConfig& config,
                              int64_t num_steps) {
  check_config(answers, config);
  double variance = 0;
  double largest = 0;
  for (size_t k = 0; k < config.group_rho.size(); ++k) {
    const double noise = gradient_noise(answers, config, num_steps, k);
    largest = std::max(largest, noise);
    if (!config.objective_quantile) variance += std::pow(config.objective[k] * noise, 2);
  }
  return config.objective_quantile ? largest : std::sqrt(variance);
}

GroupStep ask_group_step(GroupAnswers& answers, const GroupLossConfig& config, int64_t num_steps,
                         std::span<const double> parameters) {
  check_config(answers, config);
  const std::span<const int64_t> sizes = answers.group_sizes();
  const size_t num_features = answers.num_features();
  std::vector<double> gradients(sizes.size() * num_features);
  const auto gradient_of = [&](size_t group) {
    return std::span(gradients).subspan(group * num_features, num_features);
  };
  for (size_t k = 0; k < sizes.size(); ++k)
    answers.gradient_mean(k, parameters, answer_rho(config, num_steps, k), gradient_of(k));
  std::vector<double> losses;
  for (size_t k = 0; k < sizes.size() && config.asks_losses(); ++k)
    losses.push_back(answers.loss_mean(k, parameters, answer_rho(config, num_steps, k)));

  GroupStep step;
  step.direction.assign(num_features, 0.0);
  const auto follow = [&](std::span<const double> weights, double factor) {
    for (size_t k = 0; k < sizes.size(); ++k) {
      for (size_t j = 0; j < num_features && weights[k] != 0; ++j)
        step.direction[j] += factor * weights[k] * gradient_of(k)[j];
    }
  };
  follow(config.objective_quantile ? weights_at({*config.objective_quantile}, losses, sizes)
                                   : config.objective,
         1);
  if (config.lagrange_multiplier == 0) return step;
  for (size_t k = 0; k < sizes.size(); ++k) losses[k] -= config.loss_bounds[k];
  const std::vector<double> weights = weights_at(config.constraint, losses, sizes);
  step.worst_group =
      static_cast<size_t>(std::max_element(losses.begin(), losses.end()) - losses.begin());
  step.gap = std::inner_product(weights.begin(), weights.end(), losses.begin(), 0.0);
  step.constraint_active = step.gap >= 0;
  if (step.constraint_active) follow(weights, config.lagrange_multiplier);
  return step;
}

std::vector<double> descend(GroupAnswers& answers, const DescentConfig& config,
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

std::vector<double> printed_budgets(const GroupAnswers& answers, double rho,
                                    std::span<const double> shares) {
  const std::span<const int64_t> sizes = answers.group_sizes();
  check_groups("shares", shares, sizes.size());
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
