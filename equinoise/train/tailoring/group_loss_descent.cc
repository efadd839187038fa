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
  check_groups("objective", config.objective, num_groups);
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
  const double num_answers = config.lagrange_multiplier > 0 ? 2 : 1;
  return config.group_rho[group] / (num_answers * static_cast<double>(num_steps));
}

std::vector<double> objective_weights(GroupObjective objective,
                                      std::span<const int64_t> group_sizes) {
  const auto total =
      static_cast<double>(std::accumulate(group_sizes.begin(), group_sizes.end(), int64_t{0}));
  std::vector<double> weights;
  for (const int64_t size : group_sizes) {
    weights.push_back(objective == GroupObjective::kPopulation ? static_cast<double>(size) / total
                      : objective == GroupObjective::kSum
                          ? 1
                          : 1 / static_cast<double>(group_sizes.size()));
  }
  return weights;
}

double direction_noise_stddev(const GroupAnswers& answers, const GroupLossConfig& config,
                              int64_t num_steps) {
  check_config(answers, config);
  const std::vector<double>& weights = config.objective;
  double variance = 0;
  for (size_t k = 0; k < weights.size(); ++k) {
    const double noise = weights[k] * gradient_noise(answers, config, num_steps, k);
    variance += noise * noise;
  }
  return std::sqrt(variance);
}

GroupStep ask_group_step(GroupAnswers& answers, const GroupLossConfig& config, int64_t num_steps,
                         std::span<const double> parameters) {
  check_config(answers, config);
  const std::vector<double>& weights = config.objective;
  const size_t num_features = answers.num_features();
  std::vector<double> gradients(weights.size() * num_features);
  const auto gradient_of = [&](size_t group) {
    return std::span(gradients).subspan(group * num_features, num_features);
  };
  GroupStep step;
  step.direction.assign(num_features, 0.0);
  for (size_t k = 0; k < weights.size(); ++k) {
    answers.gradient_mean(k, parameters, answer_rho(config, num_steps, k), gradient_of(k));
    for (size_t j = 0; j < num_features; ++j) step.direction[j] += weights[k] * gradient_of(k)[j];
  }
  if (config.lagrange_multiplier == 0) return step;
  for (size_t k = 0; k < weights.size(); ++k) {
    const double gap =
        answers.loss_mean(k, parameters, answer_rho(config, num_steps, k)) - config.loss_bounds[k];
    if (k > 0 && !(gap > step.worst_gap)) continue;
    step.worst_group = k;
    step.worst_gap = gap;
  }
  step.constraint_active = step.worst_gap >= 0;
  if (!step.constraint_active) return step;
  for (size_t j = 0; j < num_features; ++j)
    step.direction[j] += config.lagrange_multiplier * gradient_of(step.worst_group)[j];
  return step;
}

std::vector<double> descend(GroupAnswers& answers, const DescentConfig& config,
                            const GroupLossConfig& loss) {
  DirectionFacts facts = {0, direction_noise_stddev(answers, loss, config.num_steps),
                          answers.num_features()};
  const std::vector<double>& weights = loss.objective;
  facts.lipschitz =
      answers.bounds().max_grad_norm *
      (std::accumulate(weights.begin(), weights.end(), 0.0) + loss.lagrange_multiplier);
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
